import { ActionIcon, Button, Card, Group, Select, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { BrokenKptRule } from "../../../../wire/src/kpt-rules.ts";
import { type KptFuel, kptFuels } from "../../../../wire/src/kpt-visits.ts";
import { useRuleText } from "./broken-rules.tsx";
import type { KptDraft } from "./kpt-draft.ts";
import { MoistureBasis, MoistureReadings } from "./moisture-fields.tsx";
import { VisitDetails } from "./visit-details-fields.tsx";
import { asksMoisture, blankFuel, type VisitsOf } from "./visits-draft.ts";

type SeveralFuelsProps = {
  form: UseFormReturnType<KptDraft>;
  about: VisitsOf;
  broken: BrokenKptRule[];
  illegible: readonly (number | string)[];
};

/** Fields for the weighings of each fuel and day, with who weighed and when. */
export function SeveralFuels({ form, about, broken, illegible }: SeveralFuelsProps) {
  const { t } = useTranslation();
  const { fuels, logs } = form.values;
  const left = kptFuels.filter((fuel) => !fuels.some((each) => each.fuel === fuel));
  return (
    <Stack gap="sm">
      <TextInput
        label={t("implementer.kpt.collector")}
        description={t("implementer.kpt.collectorHint")}
        autoComplete="off"
        {...form.getInputProps("collector")}
      />
      <SimpleGrid cols={{ base: 2, xs: 3, sm: 4 }}>
        {logs.map((_, day) => (
          <TextInput
            // biome-ignore lint/suspicious/noArrayIndexKey: the index identifies the day
            key={day}
            type="time"
            label={t("implementer.kpt.time", { day: day + 1 })}
            {...form.getInputProps(`times.${day}`)}
          />
        ))}
      </SimpleGrid>
      {fuels.map(({ fuel }, index) => (
        <Weighings key={fuel} form={form} index={index} broken={broken} illegible={illegible} about={about} />
      ))}
      <Stack gap="xs">
        {logs.map((_, day) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the index identifies the day
          <VisitDetails key={day} form={form} day={day} />
        ))}
      </Stack>
      <Select
        label={t("implementer.kpt.addFuel")}
        placeholder={t("implementer.kpt.chooseFuel")}
        leftSection={<IconPlus size={14} aria-hidden />}
        data={left.map((value) => ({ value, label: t(`implementer.fuel.${value}`) }))}
        value={null}
        onChange={(value) => value !== null && form.insertListItem("fuels", blankFuel(value as KptFuel, logs.length))}
        maw={320}
      />
    </Stack>
  );
}

function Weighings({ form, index, broken, illegible, about }: SeveralFuelsProps & { index: number }) {
  const { t } = useTranslation();
  const text = useRuleText();
  const draft = form.values.fuels[index];
  if (draft === undefined) return null;
  const { fuel, days } = draft;
  const fuelName = t(`implementer.fuel.${fuel}`);
  const title = `${fuelName} (${fuel === "electricity" ? "kWh" : "kg"})`;
  const problem = (day: number, name: "start" | "added" | "end", typed: string) => {
    if (typed !== "" && illegible.includes(`fuels.${index}.days.${day}.${name}`))
      return t("implementer.kpt.notKilograms");
    const found = broken.find(({ path }) => path === `visits.${day}.fuels.${index}.${name}`);
    return found === undefined || typed === "" ? undefined : text(found);
  };
  return (
    <Card withBorder role="group" aria-label={title}>
      <Stack gap="xs">
        <Group justify="space-between">
          <Text fw={600} size="sm">
            {title}
          </Text>
          <ActionIcon
            variant="subtle"
            color="red"
            aria-label={t("implementer.kpt.dropFuel", { fuel: fuelName })}
            onClick={() => form.removeListItem("fuels", index)}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Group>
        {days.map((typed, day) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the index identifies the day
          <Stack key={day} gap="xs">
            <SimpleGrid cols={3} spacing="xs">
              {(["start", "added", "end"] as const).map((name) => (
                <TextInput
                  key={name}
                  size="xs"
                  label={t(`implementer.kpt.weight.${name}`, { day: day + 1 })}
                  inputMode="decimal"
                  autoComplete="off"
                  {...form.getInputProps(`fuels.${index}.days.${day}.${name}`)}
                  error={problem(day, name, typed[name])}
                />
              ))}
            </SimpleGrid>
            {asksMoisture(draft, typed, about) && <MoistureReadings form={form} index={index} day={day} />}
          </Stack>
        ))}
        {days.some((typed) => asksMoisture(draft, typed, about)) && <MoistureBasis form={form} index={index} />}
        <Group gap="xs" align="flex-start">
          <TextInput
            size="xs"
            label={t("implementer.kpt.scale")}
            autoComplete="off"
            {...form.getInputProps(`fuels.${index}.scaleId`)}
            maw={240}
          />
          {fuel !== "electricity" && (
            <TextInput
              size="xs"
              label={t("implementer.details.tare")}
              description={t("implementer.details.tareHint")}
              inputWrapperOrder={["label", "input", "description", "error"]}
              inputMode="decimal"
              autoComplete="off"
              {...form.getInputProps(`fuels.${index}.tare`)}
              error={illegible.includes(`fuels.${index}.tare`) && t("implementer.kpt.notKilograms")}
              maw={240}
            />
          )}
        </Group>
        {fuel === about.fuel && (
          <Text size="xs" c="dimmed">
            {t("implementer.kpt.mainFuel")}
          </Text>
        )}
      </Stack>
    </Card>
  );
}

/** Replace the daily logs by weighings of several fuels. */
export function StartSeveralFuels({ form, about }: Pick<SeveralFuelsProps, "form" | "about">) {
  const { t } = useTranslation();
  const start = () => form.setFieldValue("fuels", [blankFuel(about.fuel, form.values.logs.length)]);
  return (
    <Button size="xs" variant="default" leftSection={<IconPlus size={14} aria-hidden />} onClick={start}>
      {t("implementer.kpt.severalFuels")}
    </Button>
  );
}
