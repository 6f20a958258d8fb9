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
import { IconMinus, IconPlus } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import type { CampaignGroup } from "../../../../wire/src/ids.ts";
import type { BrokenKptRule } from "../../../../wire/src/kpt-rules.ts";
import { type Campaign, groups } from "../campaigns/records.ts";
import { useRuleText } from "./broken-rules.tsx";
import { type KptDraft, kilogramsOf, sumOf } from "./kpt-draft.ts";

type FieldsProps = {
  draft: KptDraft;
  onChange: (part: Partial<KptDraft>) => void;
  campaign: Campaign;
  broken: BrokenKptRule[];
  illegible: (number | "total")[];
};

/** The fields of a measurement; each says what its value breaks. */
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

/** The sentence of the first rule that a field breaks, once something stands in it. */
function useProblem(broken: BrokenKptRule[]): (path: string, isTouched: boolean) => string | undefined {
  const text = useRuleText();
  return (path, isTouched) => {
    const found = broken.find((each) => each.path === path);
    return found === undefined || !isTouched ? undefined : text(found);
  };
}

function Who({ draft, onChange, campaign, broken }: FieldsProps) {
  const { t } = useTranslation();
  const problem = useProblem(broken);
  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label={t("implementer.kpt.group")}
        value={draft.testGroup}
        onChange={(value) => onChange({ testGroup: value as CampaignGroup, householdId: "" })}
        data={groups.map((value) => ({ value, label: t(`implementer.group.${value}`) }))}
      />
      <Text size="sm" c="red" role="alert" hidden={problem("testGroup", true) === undefined}>
        {problem("testGroup", true)}
      </Text>
      <Select
        label={t("implementer.kpt.household")}
        data={campaign.groups[draft.testGroup].sample}
        value={draft.householdId === "" ? null : draft.householdId}
        onChange={(value) => onChange({ householdId: value ?? "" })}
        error={problem("householdId", draft.householdId !== "")}
        searchable
        required
      />
    </Stack>
  );
}

function Period({ draft, onChange, broken }: FieldsProps) {
  const { t } = useTranslation();
  const problem = useProblem(broken)("testPeriod", draft.startDate !== "" && draft.endDate !== "");
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      <TextInput
        type="date"
        label={t("implementer.kpt.start")}
        description={t("implementer.kpt.periodHint")}
        value={draft.startDate}
        onChange={(event) => onChange({ startDate: event.currentTarget.value })}
      />
      <TextInput
        type="date"
        label={t("implementer.kpt.end")}
        description={t("implementer.kpt.endHint")}
        value={draft.endDate}
        onChange={(event) => onChange({ endDate: event.currentTarget.value })}
        error={problem}
      />
    </SimpleGrid>
  );
}

function Fuel({ draft, onChange, broken, illegible }: FieldsProps) {
  const { t } = useTranslation();
  const problem = useProblem(broken);
  const { logs, total } = draft;
  const setLog = (day: number, text: string) => onChange({ logs: logs.map((each, i) => (i === day ? text : each)) });
  const numberProblem = (field: number | "total", text: string) =>
    text !== "" && illegible.includes(field) ? t("implementer.kpt.notKilograms") : undefined;
  return (
    <Fieldset legend={t("implementer.kpt.fuel")}>
      <Stack gap="sm">
        <SimpleGrid cols={{ base: 2, xs: 3, sm: 4 }}>
          {logs.map((text, day) => (
            <TextInput
              // biome-ignore lint/suspicious/noArrayIndexKey: a day is its place
              key={day}
              label={t("implementer.kpt.day", { day: day + 1 })}
              inputMode="decimal"
              autoComplete="off"
              value={text}
              onChange={(event) => setLog(day, event.currentTarget.value)}
              error={numberProblem(day, text) ?? problem(`fuelMeasurements.dailyLogs.${day}`, text !== "")}
            />
          ))}
        </SimpleGrid>
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => onChange({ logs: [...logs, ""] })}
          >
            {t("implementer.kpt.addDay")}
          </Button>
          <ActionIcon
            variant="default"
            aria-label={t("implementer.kpt.dropDay")}
            disabled={logs.length <= 1}
            onClick={() => onChange({ logs: logs.slice(0, -1) })}
          >
            <IconMinus size={14} />
          </ActionIcon>
        </Group>
        <Group align="flex-end" gap="sm">
          <TextInput
            label={t("implementer.kpt.total")}
            inputMode="decimal"
            autoComplete="off"
            value={total}
            onChange={(event) => onChange({ total: event.currentTarget.value })}
            error={numberProblem("total", total) ?? problem("fuelMeasurements.total", total !== "")}
          />
          <Button variant="light" onClick={() => onChange({ total: kilogramsOf(sumOf(logs)) })}>
            {t("implementer.kpt.takeSum", { sum: kilogramsOf(sumOf(logs)) })}
          </Button>
        </Group>
      </Stack>
    </Fieldset>
  );
}

function Factors({ draft, onChange, campaign }: FieldsProps) {
  const { t } = useTranslation();
  return (
    <Fieldset legend={t("implementer.kpt.factors")}>
      <Stack gap="sm">
        <TextInput
          label={t("implementer.kpt.season")}
          placeholder={campaign.season ?? ""}
          value={draft.season}
          onChange={(event) => onChange({ season: event.currentTarget.value })}
        />
        <TagsInput
          label={t("implementer.kpt.cultural")}
          value={draft.culturalEvents}
          onChange={(culturalEvents) => onChange({ culturalEvents })}
        />
        <TagsInput
          label={t("implementer.kpt.occupational")}
          value={draft.occupationalFactors}
          onChange={(occupationalFactors) => onChange({ occupationalFactors })}
        />
        <Checkbox
          label={t("implementer.kpt.nothing")}
          checked={draft.nothingSpecial}
          onChange={(event) => onChange({ nothingSpecial: event.currentTarget.checked })}
        />
      </Stack>
    </Fieldset>
  );
}
