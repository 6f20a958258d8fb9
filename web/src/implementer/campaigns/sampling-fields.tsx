import { ActionIcon, Button, Fieldset, Group, Select, SimpleGrid, Stack, Switch, Text, TextInput } from "@mantine/core";
import { IconMinus, IconPlus } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import {
  blankStratum,
  profiles,
  type SamplingDraft,
  type SamplingProblem,
  type StratumDraft,
  samplingProblems,
} from "./sampling-terms.ts";

type SamplingProps = {
  draft: SamplingDraft;
  onChange: (part: Partial<SamplingDraft>) => void;
  /** The frames are committed: whether the design is paired, and its strata, cannot change. */
  isDesignFixed?: boolean;
};

/** How exact the result has to be, and how the frames are divided before the draw. */
export function SamplingFields({ draft, onChange, isDesignFixed = false }: SamplingProps) {
  const { t } = useTranslation();
  const problems = samplingProblems(draft);
  const wrong = (name: SamplingProblem) =>
    problems.includes(name) && t(`implementer.sampling.wrong.${wrongTextOf(name)}`);
  const text = (name: "variation" | "dropOut" | "secondParty") => ({
    value: draft[name],
    onChange: (event: { currentTarget: { value: string } }) => onChange({ [name]: event.currentTarget.value }),
  });
  return (
    <Fieldset legend={t("implementer.sampling.title")}>
      <Stack gap="sm">
        <Select
          label={t("implementer.sampling.profile")}
          description={t("implementer.sampling.profileHint")}
          data={profiles.map((value) => ({ value, label: t(`implementer.sampling.profiles.${nameOf(value)}`) }))}
          value={draft.profile === "" ? null : draft.profile}
          onChange={(value) => onChange({ profile: profiles.find((each) => each === value) ?? "" })}
          error={wrong("profile")}
          clearable
          clearButtonProps={{ "aria-label": t("implementer.sampling.noProfile") }}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput
            label={t("implementer.sampling.variation")}
            description={t("implementer.sampling.variationHint")}
            inputMode="decimal"
            error={wrong("variation")}
            {...text("variation")}
          />
          <TextInput
            label={t("implementer.sampling.dropOut")}
            description={t("implementer.sampling.dropOutHint")}
            inputMode="decimal"
            error={wrong("dropOut")}
            {...text("dropOut")}
          />
        </SimpleGrid>
        <TextInput
          label={t("implementer.sampling.secondParty")}
          description={t("implementer.sampling.secondPartyHint")}
          spellCheck={false}
          {...text("secondParty")}
        />
        {!isDesignFixed && (
          <Switch
            label={t("implementer.sampling.paired")}
            checked={draft.isPaired}
            onChange={(event) => onChange({ isPaired: event.currentTarget.checked })}
          />
        )}
        {draft.isPaired && <Pairs draft={draft} onChange={onChange} />}
        {wrong("pairs") && (
          <Text size="sm" c="red" role="alert">
            {wrong("pairs")}
          </Text>
        )}
        {!isDesignFixed && (
          <Strata strata={draft.strata} problems={problems} onChange={(strata) => onChange({ strata })} />
        )}
      </Stack>
    </Fieldset>
  );
}

function Pairs({ draft, onChange }: SamplingProps) {
  const { t } = useTranslation();
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }}>
      {(["before", "after"] as const).flatMap((side) =>
        (["startDate", "endDate"] as const).map((end) => (
          <TextInput
            key={`${side}.${end}`}
            type="date"
            label={t(`implementer.sampling.${side}.${end}`)}
            value={draft[side][end]}
            onChange={(event) => onChange({ [side]: { ...draft[side], [end]: event.currentTarget.value } })}
          />
        )),
      )}
    </SimpleGrid>
  );
}

type StrataProps = {
  strata: StratumDraft[];
  problems: SamplingProblem[];
  onChange: (strata: StratumDraft[]) => void;
};

function Strata({ strata, problems, onChange }: StrataProps) {
  const { t } = useTranslation();
  const change = (at: number, part: Partial<StratumDraft>) =>
    onChange(strata.map((each, index) => (index === at ? { ...each, ...part } : each)));
  return (
    <Stack gap="xs">
      <Text size="sm">{t("implementer.sampling.strataHint")}</Text>
      {strata.map((stratum, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a stratum has no id before it is typed
        <Fieldset key={index} legend={t("implementer.sampling.stratum", { number: index + 1 })}>
          <SimpleGrid cols={{ base: 2, sm: 5 }} spacing="xs">
            {(["id", "region", "from", "to", "sampleSize"] as const).map((name) => (
              <TextInput
                key={name}
                label={t(`implementer.sampling.stratumField.${name}`)}
                inputMode={name === "id" || name === "region" ? "text" : "numeric"}
                value={stratum[name]}
                onChange={(event) => change(index, { [name]: event.currentTarget.value })}
              />
            ))}
          </SimpleGrid>
          <Group justify="space-between" mt="xs" wrap="nowrap">
            <Text size="sm" c="red" role="status">
              {problems.includes(`stratum.${index}`) && t("implementer.sampling.wrong.stratum")}
            </Text>
            <ActionIcon
              variant="default"
              aria-label={t("implementer.sampling.dropStratum", { number: index + 1 })}
              onClick={() => onChange(strata.filter((_, at) => at !== index))}
            >
              <IconMinus size={14} />
            </ActionIcon>
          </Group>
        </Fieldset>
      ))}
      <Group>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => onChange([...strata, blankStratum])}
        >
          {t("implementer.sampling.addStratum")}
        </Button>
      </Group>
    </Stack>
  );
}

/** `90/10` → `p90x10`: the keys of texts cannot contain a slash. */
function nameOf(profile: (typeof profiles)[number]) {
  const names = { "90/10": "p90x10", "90/30": "p90x30", "95/5": "p95x5" } as const;
  return names[profile];
}

function wrongTextOf(problem: SamplingProblem) {
  return problem.startsWith("stratum.") ? "stratum" : (problem as Exclude<SamplingProblem, `stratum.${number}`>);
}
