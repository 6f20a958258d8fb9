import {
  ActionIcon,
  Button,
  Checkbox,
  Fieldset,
  Group,
  SegmentedControl,
  Select,
  SimpleGrid,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import { IconMinus, IconPlus } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { CampaignGroup } from "../../../../wire/src/ids.ts";
import type { BrokenKptRule } from "../../../../wire/src/kpt-rules.ts";
import { type Campaign, groups } from "../campaigns/records.ts";
import { useRuleText } from "./broken-rules.tsx";
import { type KptDraft, kilogramsOf, sumOf } from "./kpt-draft.ts";
import { visitsOfCampaign } from "./kpt-facts.ts";
import { SeveralFuels, StartSeveralFuels } from "./several-fuels.tsx";
import { VisitMark } from "./visit-mark.tsx";
import type { Visit } from "./visits.ts";
import { blankDay } from "./visits-draft.ts";

type FieldsProps = {
  form: UseFormReturnType<KptDraft>;
  campaign: Campaign;
  visits: Visit[];
  broken: BrokenKptRule[];
  illegible: (number | string)[];
};

/** The fields of a measurement; each shows the rule that its value breaks. */
export function KptFields(props: FieldsProps) {
  return (
    <>
      <Who {...props} />
      <Period {...props} />
      <Fuel {...props} />
      <Factors {...props} />
    </>
  );
}

/** Return a function that describes the first rule that a field breaks, once the field has a value. */
function useProblem(broken: BrokenKptRule[]): (path: string, isTouched: boolean) => string | undefined {
  const text = useRuleText();
  return (path, isTouched) => {
    const found = broken.find((each) => each.path === path);
    return found === undefined || !isTouched ? undefined : text(found);
  };
}

function Who({ form, campaign, visits, broken }: FieldsProps) {
  const draft = form.values;
  const { t } = useTranslation();
  const problem = useProblem(broken);
  const stateOf = new Map(visits.map(({ householdId, state }) => [householdId, state]));
  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label={t("implementer.kpt.group")}
        value={draft.testGroup}
        onChange={(value) => form.setValues({ testGroup: value as CampaignGroup, householdId: "" })}
        data={groups.map((value) => ({ value, label: t(`implementer.group.${value}`) }))}
        styles={{ label: { whiteSpace: "normal" } }}
      />
      <Text size="sm" c="red" role="alert" hidden={problem("testGroup", true) === undefined}>
        {problem("testGroup", true)}
      </Text>
      <Select
        label={t("implementer.kpt.household")}
        data={campaign.groups[draft.testGroup].sample}
        value={draft.householdId === "" ? null : draft.householdId}
        onChange={(value) => form.setFieldValue("householdId", value ?? "")}
        error={problem("householdId", draft.householdId !== "")}
        renderOption={({ option }) => (
          <Group justify="space-between" wrap="nowrap" gap="xs" flex={1}>
            <span style={{ overflowWrap: "anywhere" }}>{option.label}</span>
            <VisitMark state={stateOf.get(option.value) ?? "open"} />
          </Group>
        )}
        // Choosing the household again keeps it.
        allowDeselect={false}
        searchable
        required
      />
    </Stack>
  );
}

function Period({ form, broken }: FieldsProps) {
  const { t } = useTranslation();
  const problem = useProblem(broken)("testPeriod", form.values.startDate !== "" && form.values.endDate !== "");
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <TextInput
        type="date"
        label={t("implementer.kpt.start")}
        description={t("implementer.kpt.periodHint")}
        {...form.getInputProps("startDate")}
      />
      <TextInput
        type="date"
        label={t("implementer.kpt.end")}
        description={t("implementer.kpt.endHint")}
        {...form.getInputProps("endDate")}
        error={problem}
      />
    </SimpleGrid>
  );
}

function Fuel({ form, campaign, broken, illegible }: FieldsProps) {
  const { t } = useTranslation();
  const problem = useProblem(broken);
  const { logs, total, fuels } = form.values;
  const about = visitsOfCampaign(campaign);
  const isSingle = fuels.length === 0 && about.mass !== "dry";
  const addDay = () => {
    form.insertListItem("logs", "");
    for (const i of fuels.keys()) form.insertListItem(`fuels.${i}.days`, { ...blankDay });
  };
  const dropDay = () => {
    form.removeListItem("logs", logs.length - 1);
    for (const i of fuels.keys()) form.removeListItem(`fuels.${i}.days`, logs.length - 1);
  };
  const numberProblem = (field: number | string, text: string) =>
    text !== "" && illegible.includes(field) ? t("implementer.kpt.notKilograms") : undefined;
  return (
    <Fieldset legend={t("implementer.kpt.fuel")}>
      <Stack gap="sm">
        {isSingle ? (
          <SimpleGrid cols={{ base: 2, xs: 3, sm: 4 }}>
            {logs.map((text, day) => (
              <TextInput
                // biome-ignore lint/suspicious/noArrayIndexKey: the index identifies the day
                key={day}
                label={t("implementer.kpt.day", { day: day + 1 })}
                inputMode="decimal"
                autoComplete="off"
                {...form.getInputProps(`logs.${day}`)}
                error={numberProblem(day, text) ?? problem(`fuelMeasurements.dailyLogs.${day}`, text !== "")}
              />
            ))}
          </SimpleGrid>
        ) : (
          <SeveralFuels form={form} about={about} broken={broken} illegible={illegible} />
        )}
        <Group gap="xs">
          <Button size="xs" variant="default" leftSection={<IconPlus size={14} aria-hidden />} onClick={addDay}>
            {t("implementer.kpt.addDay")}
          </Button>
          <ActionIcon
            variant="default"
            aria-label={t("implementer.kpt.dropDay")}
            disabled={logs.length <= 1}
            onClick={dropDay}
          >
            <IconMinus size={14} />
          </ActionIcon>
        </Group>
        {isSingle && (
          <Group align="flex-end" gap="sm">
            <TextInput
              label={t("implementer.kpt.total")}
              inputMode="decimal"
              autoComplete="off"
              {...form.getInputProps("total")}
              error={numberProblem("total", total) ?? problem("fuelMeasurements.total", total !== "")}
            />
            <Button variant="light" onClick={() => form.setFieldValue("total", kilogramsOf(sumOf(logs)))}>
              {t("implementer.kpt.takeSum", { sum: kilogramsOf(sumOf(logs)) })}
            </Button>
          </Group>
        )}
        {isSingle && <StartSeveralFuels form={form} about={about} />}
      </Stack>
    </Fieldset>
  );
}

function Factors({ form, campaign }: FieldsProps) {
  const { t } = useTranslation();
  return (
    <Fieldset legend={t("implementer.kpt.factors")}>
      <Stack gap="sm">
        <TextInput
          label={t("implementer.kpt.season")}
          placeholder={campaign.season ?? ""}
          {...form.getInputProps("season")}
        />
        <TagsInput label={t("implementer.kpt.cultural")} {...form.getInputProps("culturalEvents")} />
        <TagsInput label={t("implementer.kpt.occupational")} {...form.getInputProps("occupationalFactors")} />
        <Checkbox
          label={t("implementer.kpt.nothing")}
          {...form.getInputProps("nothingSpecial", { type: "checkbox" })}
        />
      </Stack>
    </Fieldset>
  );
}
