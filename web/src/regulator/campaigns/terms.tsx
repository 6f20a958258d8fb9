import { Table, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Decimal } from "../../../../wire/src/exact.ts";
import { localeOf } from "../../i18n/i18n.ts";
import type { Campaign } from "../../implementer/campaigns/records.ts";
import { CodeValue } from "../../show/code-value.tsx";
import { Day } from "../../show/moment.tsx";
import { WideTable } from "../../show/wide-table.tsx";
import { committedReduction, type Result } from "./result.ts";
import { formatDecimal } from "./waterfall.ts";

/** Symbols of a fuel's factors in a method's lines. */
const factors = ["fNRB", "NCV", "EF_CO2", "EF_nonCO2"] as const;

/** Terms that are one figure. */
const figureTerms = [
  "householdSize",
  "fnrb",
  "newUnits",
  "life",
  "creditingYear",
  "daf",
  "he",
  "leakage",
  "vintage",
] as const;

type Row = { label: string; value: ReactNode; source?: string };

/** The terms that were committed before the draw, each factor with its source. */
export function Terms({ campaign, result }: { campaign: Campaign; result: Result }) {
  const { t } = useTranslation();
  const rows = [...useDesign(campaign), ...useMethod(campaign, result), ...useUnits(campaign, result)];
  return (
    <WideTable label={t("regulator.verify.terms")} minWidth={280}>
      <Table aria-label={t("regulator.verify.terms")} maw={900}>
        <Table.Tbody>
          {rows.map(({ label, value, source }) => (
            <Table.Tr key={label}>
              <Table.Th scope="row" fw={400} w="38%" style={{ verticalAlign: "top" }}>
                {label}
              </Table.Th>
              <Table.Td style={{ overflowWrap: "anywhere", verticalAlign: "top" }}>
                {value}
                {source !== undefined && (
                  <Text size="xs" c="dimmed" lang="en">
                    {source}
                  </Text>
                )}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}

function useShow() {
  const { i18n } = useTranslation();
  return (value: Decimal) => formatDecimal(value, localeOf(i18n.language), 6);
}

/** Who is tested, when, and how a bound is taken. */
function useDesign(campaign: Campaign): Row[] {
  const { t } = useTranslation();
  const show = useShow();
  const { testPeriod, planId, implementerDid, groups, sampleSize, confidence, logConvention, days, season } = campaign;
  const { externalFactors, amendments, termsVersion, commit } = campaign;
  const { culturalEvents = [], occupationalFactors = [] } = externalFactors ?? {};
  const [reference, intervention] = [groups.reference.frameSize, groups.intervention.frameSize];
  return [
    {
      label: t("regulator.verify.testPeriod"),
      value: (
        <>
          <Day at={testPeriod.startDate} /> – <Day at={testPeriod.endDate} />
        </>
      ),
    },
    { label: t("regulator.verify.plan"), value: [planId, implementerDid].filter(Boolean).join(" · ") },
    {
      label: t("regulator.verify.frames"),
      value: t("regulator.verify.frameSizes", { reference, intervention, sample: sampleSize }),
    },
    {
      label: t("regulator.verify.confidence"),
      value: t("regulator.verify.convention", {
        sides: t(`regulator.verify.sides.${confidence.convention === "one-sided-90" ? "one" : "two"}`),
        level: show(confidence.level),
        precision: show(confidence.precision),
      }),
    },
    ...useSampling(campaign),
    { label: t("regulator.verify.logs"), value: t(`regulator.verify.logConvention.${logConvention}`) },
    { label: t("regulator.verify.days"), value: days ?? t("regulator.verify.notStated") },
    {
      label: t("regulator.verify.season"),
      value: season ?? t("regulator.verify.notStated"),
    },
    { label: t("implementer.kpt.cultural"), value: culturalEvents.join(", ") || t("regulator.verify.notStated") },
    {
      label: t("implementer.kpt.occupational"),
      value: occupationalFactors.join(", ") || t("regulator.verify.notStated"),
    },
    {
      label: t("regulator.verify.version"),
      value: (
        <>
          {amendments.length === 0
            ? t("regulator.verify.unamended")
            : t("regulator.verify.amended", { version: termsVersion })}
          {amendments.map(({ version, reason }) => (
            <Text key={version} size="sm">{`${version}: ${reason}`}</Text>
          ))}
          <CodeValue value={commit.transactionHash} shorten />
        </>
      ),
    },
  ];
}

/** How the sample was planned, and its strata. */
function useSampling({ sampling }: Campaign): Row[] {
  const { t } = useTranslation();
  const show = useShow();
  if (sampling === null) return [];
  const { profile, coefficientOfVariation, dropOut, strata } = sampling;
  const planned = { profile, variation: show(coefficientOfVariation), dropOut: show(dropOut) };
  const rule = ({ region, people }: NonNullable<typeof strata>[number]) =>
    [
      ...(region === undefined ? [] : [region]),
      ...(people === undefined ? [] : [t("regulator.verify.people", { from: people.from ?? 1, to: people.to ?? "∞" })]),
    ].join(", ");
  const rows = strata?.map((stratum) => {
    const { id, frames, sampleSize } = stratum;
    const [reference, intervention] = [frames.reference.size, frames.intervention.size];
    const sizes = t("regulator.verify.frameSizes", { reference, intervention, sample: sampleSize });
    return <Text key={id} size="sm">{`${id} (${rule(stratum)}): ${sizes}`}</Text>;
  });
  return [
    { label: t("regulator.verify.profile"), value: t("regulator.verify.planned", planned) },
    ...(rows === undefined ? [] : [{ label: t("regulator.verify.strata"), value: rows }]),
  ];
}

/** The method, the baseline, and the factors of the fuels. */
function useMethod({ emissions }: Campaign, result: Result): Row[] {
  const { t } = useTranslation();
  const show = useShow();
  const reduction = committedReduction(result);
  if (emissions === null) return [{ label: t("regulator.verify.method"), value: t("regulator.verify.notStated") }];
  const {
    method,
    fuel,
    fuelMass = "as-weighed",
    valuePer = "household",
    area,
    baseline,
    gwp,
    parameters = [],
    methodParameters = {},
    fnrbApproval,
  } = emissions;
  const factorRows = (reduction?.lines ?? []).flatMap(({ name, value, unit, source }): Row[] => {
    // A line's name is the symbol, after the side and fuel where several differ.
    const symbol = factors.find((each) => each === name || name.endsWith(`: ${each}`));
    if (symbol === undefined) return [];
    const of = name === symbol ? "" : ` (${name.slice(0, -symbol.length - 2)})`;
    const shown = `${show(value)} ${unit === "1" ? "" : unit}`;
    return [{ label: `${t(`regulator.verify.factors.${symbol}`)}${of}`, value: shown, source }];
  });
  const figures = figureTerms.flatMap((name): Row[] => {
    const value = emissions[name];
    return value === undefined ? [] : [{ label: t(`implementer.terms.${name}`), value: show(value) }];
  });
  return [
    {
      label: t("regulator.verify.method"),
      value: method === undefined ? t("regulator.verify.notStated") : `${method} ${reduction?.version ?? ""}`,
      ...(method !== undefined && reduction && { source: reduction.title }),
    },
    {
      label: t("regulator.verify.baseline"),
      value: t(`regulator.verify.baselines.${baseline === "minimum-service" ? "minimumService" : "measured"}`),
    },
    { label: t("implementer.terms.fuel"), value: fuel ?? t("regulator.verify.notStated") },
    { label: t("implementer.terms.fuelMass"), value: t(`implementer.terms.choice.${fuelMass}`) },
    { label: t("regulator.verify.valueUnit"), value: t(`implementer.result.unit.${valuePer}`) },
    { label: t("implementer.terms.area"), value: area ?? t("regulator.verify.notStated") },
    ...factorRows,
    { label: t("regulator.verify.gwp"), value: gwp ?? "AR5" },
    ...figures,
    ...Object.entries(methodParameters).map(([name, value]) => ({
      label: t("regulator.verify.parameter", { name }),
      value: show(value),
    })),
    ...(fnrbApproval === undefined ? [] : [{ label: t("implementer.terms.fnrbApproval"), value: fnrbApproval }]),
    { label: t("regulator.verify.parameters"), value: parameters.join(", ") || t("common.none") },
  ];
}

/** How the devices are counted, and how their usage is known. */
function useUnits({ emissions, usageFrame }: Campaign, result: Result): Row[] {
  const { t } = useTranslation();
  const show = useShow();
  const { units, usage, usageSurvey } = emissions ?? {};
  const counted = committedReduction(result)?.lines.find(({ name }) => name === "N");
  const isStated = units !== undefined;
  const count = units ?? counted?.value ?? null;
  const usageText = () => {
    if (usageFrame !== null) return t("regulator.verify.usageDrawn");
    if (usageSurvey !== undefined) {
      return t("regulator.verify.usageStated", {
        surveyed: show(usageSurvey.surveyed),
        inUse: show(usageSurvey.inUse),
      });
    }
    return usage === undefined
      ? t("regulator.verify.notStated")
      : t("regulator.verify.shareStated", { usage: show(usage) });
  };
  return [
    {
      label: t("regulator.verify.units"),
      value: count === null ? t("common.none") : `${show(count)} ${isStated ? "" : (counted?.unit ?? "")}`,
      source: t(`regulator.verify.${isStated ? "unitsStated" : usageFrame === null ? "unitsAssumed" : "unitsCounted"}`),
    },
    { label: t("regulator.verify.usage"), value: usageText() },
  ];
}
