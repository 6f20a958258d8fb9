import {
  ActionIcon,
  Button,
  Checkbox,
  Fieldset,
  Group,
  SimpleGrid,
  Stack,
  Text,
  Textarea,
  TextInput,
} from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { IconMapPin, IconPlus, IconTrash } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { peopleKinds } from "../../../../wire/src/kpt-visits.ts";
import type { KptDraft } from "./kpt-draft.ts";
import { blankDetails, blankStove, mostStoves, placeOf, unreadableDetails } from "./visit-details.ts";

type DetailsProps = { form: UseFormReturnType<KptDraft>; day: number };

/** What a visit found besides the weighings: who ate, the stoves, where the device was, and notes. Hidden until it is needed. */
export function VisitDetails({ form, day }: DetailsProps) {
  const { t } = useTranslation();
  const draft = form.values.details[day];
  if (draft == null) {
    return (
      <Button
        size="xs"
        variant="subtle"
        leftSection={<IconPlus size={14} aria-hidden />}
        style={{ alignSelf: "flex-start" }}
        onClick={() => setDetails(form, day)}
      >
        {t("implementer.details.open", { day: day + 1 })}
      </Button>
    );
  }
  const wrong = unreadableDetails(draft);
  const path = `details.${day}`;
  return (
    <Fieldset legend={t("implementer.details.title", { day: day + 1 })}>
      <Stack gap="sm">
        <Text size="sm">{t("implementer.details.fed")}</Text>
        <SimpleGrid cols={{ base: 2, xs: 3, sm: 5 }} spacing="xs">
          {peopleKinds.map((who) => (
            <TextInput
              key={who}
              size="xs"
              label={t(`implementer.details.people.${who}`)}
              inputMode="numeric"
              autoComplete="off"
              {...form.getInputProps(`${path}.peopleFed.${who}`)}
              error={wrong.includes(`peopleFed.${who}`) && t("implementer.details.noCount")}
            />
          ))}
        </SimpleGrid>
        <Text size="sm">{t("implementer.details.stoves")}</Text>
        {draft.stoves.map((_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a stove has no id before it is typed
          <Stack key={index} gap={4}>
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs">
              <TextInput
                size="xs"
                label={t("implementer.details.kind")}
                {...form.getInputProps(`${path}.stoves.${index}.kind`)}
                error={wrong.includes(`stoves.${index}.kind`) && t("implementer.required")}
              />
              <TextInput
                size="xs"
                label={t("implementer.details.serial")}
                autoComplete="off"
                spellCheck={false}
                {...form.getInputProps(`${path}.stoves.${index}.serial`)}
              />
            </SimpleGrid>
            <Group justify="space-between">
              <Checkbox
                label={t("implementer.details.used")}
                {...form.getInputProps(`${path}.stoves.${index}.isUsed`, { type: "checkbox" })}
              />
              <ActionIcon
                variant="subtle"
                color="red"
                aria-label={t("implementer.details.dropStove", { number: index + 1 })}
                onClick={() => form.removeListItem(`${path}.stoves`, index)}
              >
                <IconTrash size={16} />
              </ActionIcon>
            </Group>
          </Stack>
        ))}
        <Button
          size="xs"
          variant="default"
          style={{ alignSelf: "flex-start" }}
          disabled={draft.stoves.length >= mostStoves}
          onClick={() => form.insertListItem(`${path}.stoves`, blankStove)}
        >
          {t("implementer.details.addStove")}
        </Button>
        <Place form={form} day={day} />
        <Textarea
          size="xs"
          label={t("implementer.details.notes")}
          maxLength={1000}
          autosize
          {...form.getInputProps(`${path}.notes`)}
        />
      </Stack>
    </Fieldset>
  );
}

/** Earlier days get blank details too, as the list has one entry for each day. */
function setDetails(form: DetailsProps["form"], day: number): void {
  const { details } = form.values;
  const filled = Array.from({ length: Math.max(details.length, day + 1) }, (_, i) => details[i] ?? null);
  filled[day] = blankDetails;
  form.setFieldValue("details", filled);
}

/** How long this device may look for its position, in milliseconds. */
const placeMs = 30_000;

function Place({ form, day }: DetailsProps) {
  const { t } = useTranslation();
  const [state, setState] = useState<"idle" | "asking" | "lost">("idle");
  const place = form.values.details[day]?.place;
  const ask = () => {
    setState("asking");
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => {
        form.setFieldValue(`details.${day}.place`, placeOf(coords));
        setState("idle");
      },
      () => setState("lost"),
      { enableHighAccuracy: true, timeout: placeMs },
    );
  };
  return (
    <Group gap="xs">
      <Button
        size="xs"
        variant="default"
        leftSection={<IconMapPin size={14} aria-hidden />}
        loading={state === "asking"}
        onClick={ask}
      >
        {t("implementer.details.place")}
      </Button>
      <Text size="sm" role="status">
        {state === "lost" && t("implementer.map.lost")}
        {state !== "lost" && place !== undefined && t("implementer.details.placeIs", place)}
      </Text>
    </Group>
  );
}
