import { stringify } from "csv-stringify/sync";
import {
  type Decimal,
  decimal,
  decimalText,
  displayText,
  type GroupStatistics,
  levelPercent,
  type Saving,
} from "../../emissions/index.ts";
import { type Group, groups } from "../groups.ts";
import type { MeasuredVariation } from "../sampling/terms.ts";
import type { Certifiability, MethodOutcome } from "./evaluation.ts";
import { type EmissionsTerms, valueUnitOf } from "./inputs/emissions-terms.ts";
import {
  combinationOf,
  type DriedFuelAmount,
  dailyFuel,
  type MeasuredHousehold,
  moistureOf,
  unitNames,
  type ValuedHousehold,
} from "./inputs/households.ts";
import { type CampaignResult, type GroupResult, type StratumResult, sensitivityAssumption } from "./result.ts";

/** Decimals of a quotient or a root, which have no last digit. */
const places = 12;
const household = "kg/household/day";
const unitOf = (terms: EmissionsTerms) => `kg/${unitNames[valueUnitOf(terms)]}/day`;
const adult = "kg/standard adult/day";

/** A figure that the service calculated, which a spreadsheet may read as a number. Any other cell is text and never a formula. */
type Figure = { figure: string };
type Cell = string | Figure;
/** One fact: where it stands, of which group or method, what it is. */
type Row = [section: string, of: string, name: string, value: Cell, unit: string, source: string];

const header = ["section", "of", "name", "value", "unit", "source"];

/**
 * The result as CSV, one fact a row: campaign, statistics of each group, saving, reductions with their lines, assumptions, and each
 * household that was measured.
 */
export function resultCsv(campaignId: string, result: CampaignResult): string {
  const unit = unitOf(result.campaign.terms);
  const rows: Row[] = [
    ...campaignRows(campaignId, result),
    ...groups.flatMap((group) => groupRows(group, result.groups[group], unit)),
    ...groups.flatMap((group) => (result.driedFuels?.[group] ?? []).flatMap((each) => moistureRows(group, each))),
    ...savingRows("saving", unit, result.saving),
    ...savingRows("saving per standard adult", adult, result.savingPerStandardAdult),
    ...result.reductions.flatMap(reductionRows),
    ...result.certifiability.flatMap((each, index) => certifiableRows(result.reductions[index]?.method ?? "", each)),
    ...sensitivityRows(result),
    ...result.flags.map(({ group, rule, message, positions }): Row => {
      return ["flag", group, rule, `positions ${positions.join(" ")}`, "", message];
    }),
    ...groups.flatMap((group) => householdRows(group, result.groups[group], unit)),
  ];
  return stringify([header, ...rows], { escape_formulas: true, record_delimiter: "windows", cast: { object: toCell } });
}

function toCell(value: object) {
  const { figure } = value as Figure;
  // Of a figure's characters, only a minus would be treated as the start of a formula.
  return figure.startsWith("-") ? { value: figure, escape_formulas: false } : figure;
}

const count = (value: number): Figure => ({ figure: String(value) });
const rounded = (value: Decimal | null): Cell => (value === null ? "" : { figure: displayText(value, places) });
const exactly = (value: Decimal): Figure => ({ figure: decimalText(value) });

function campaignRows(campaignId: string, { campaign }: CampaignResult): Row[] {
  const { precision, convention, sampling, sampleSize } = campaign;
  return [
    ["campaign", "", "campaignId", campaignId, "", ""],
    ["campaign", "", "convention", convention, "", `${levelPercent(convention)} % bounds of a mean`],
    ...samplingRows(sampling),
    ["campaign", "", "precision", exactly(precision), "1", "wanted half-width ÷ mean"],
    ["campaign", "", "sampleSize", count(sampleSize), "household", "of each group"],
    ["campaign", "", "combination", combinationOf(valueUnitOf(campaign.terms)), "", ""],
  ];
}

function moistureRows(group: Group, amount: DriedFuelAmount): Row[] {
  const { fuel, weighed, dry } = amount;
  const kilograms = (grams: bigint) => exactly(decimal(grams).div(1000));
  const source = "weighings and moisture of all counted claims";
  return [
    ["dry mass", group, `${fuel} as weighed`, kilograms(weighed), "kg", source],
    ["dry mass", group, `${fuel} without water`, kilograms(dry), "kg", source],
    [
      "dry mass",
      group,
      `${fuel}: mean moisture`,
      rounded(moistureOf(amount)),
      "1",
      "wet basis: water ÷ mass as weighed",
    ],
  ];
}

function samplingRows(sampling: CampaignResult["campaign"]["sampling"]): Row[] {
  if (sampling === undefined) return [];
  const { profile, coefficientOfVariation, measured, dropOut, secondParty = "" } = sampling;
  return [
    ["campaign", "", "profile", profile, "", "confidence / precision that was committed"],
    ["campaign", "", "coefficientOfVariation", exactly(decimal(coefficientOfVariation)), "1", "planned"],
    ...(measured === undefined ? [] : [measuredRow(measured)]),
    ["campaign", "", "dropOut", exactly(decimal(dropOut)), "1", "planned"],
    ["campaign", "", "secondParty", secondParty, "", "committed"],
  ];
}

function measuredRow({ campaignId, group, coefficientOfVariation }: MeasuredVariation): Row {
  const value = exactly(decimal(coefficientOfVariation));
  return ["campaign", group, "coefficientOfVariation", value, "1", `measured by campaign ${campaignId}`];
}

function groupRows(group: string, result: GroupResult, unit: string): Row[] {
  const { frameSize, claims, requiredSampleSize: required, statistics, perStandardAdult } = result;
  const n = (name: string, value: number, source = ""): Row => ["group", group, name, count(value), "", source];
  const unsized = result.households.length + result.withoutPeople - perStandardAdult.households.length;
  return [
    n("frameSize", frameSize),
    n("claims", claims),
    ...(required === null ? [] : [n("requiredSampleSize", required, "from the measured variation")]),
    ...statisticsRows("group", { of: group, unit, statistics, households: result.households }),
    ...(result.strata ?? []).flatMap((stratum) => stratumRows(group, stratum, unit)),
    ["group per standard adult", group, "householdsWithoutSize", count(unsized), "", ""],
    ...statisticsRows("group per standard adult", { of: group, unit: adult, ...perStandardAdult }),
  ];
}

/** A stratum of a group; the first column names both. */
function stratumRows(group: string, stratum: StratumResult, unit: string): Row[] {
  const { name, share, frameSize, sampleSize, claims, missing, open, statistics } = stratum;
  const of = `${group}, ${name}`;
  const n = (what: string, value: number): Row => ["stratum", of, what, count(value), "household", ""];
  return [
    n("frameSize", frameSize),
    ["stratum", of, "share", rounded(share), "1", "of the households of the intervention frame"],
    n("sampleSize", sampleSize),
    ["stratum", of, "claims", count(claims), "", ""],
    n("missing", missing),
    n("open", open),
    ...figureRows("stratum", { of, unit, statistics }),
  ];
}

type Described = { of: string; unit: string; statistics: GroupStatistics; households: readonly MeasuredHousehold[] };

function figureRows(section: string, { of, unit, statistics }: Omit<Described, "households">): Row[] {
  const row = (name: keyof GroupStatistics & string, itsUnit: string): Row => {
    return [section, of, name, rounded(statistics[name] as Decimal | null), itsUnit, ""];
  };
  return [
    [section, of, "n", count(statistics.n), "household", ""],
    row("mean", unit),
    row("standardDeviation", unit),
    row("coefficientOfVariation", "1"),
    row("standardError", unit),
    row("halfWidth", unit),
    row("lowerBound", unit),
    row("upperBound", unit),
    row("precision", "1"),
  ];
}

function statisticsRows(section: string, { of, unit, statistics, households }: Described): Row[] {
  return [
    ...figureRows(section, { of, unit, statistics }),
    [section, of, "meets9010", String(statistics.meets9010), "", ""],
    ...statistics.outliers.map(({ index, value, side }): Row => {
      const { position, claimIds } = households[index] as MeasuredHousehold;
      return [section, of, `outlier, ${side}: position ${position}`, rounded(value), unit, claimIds.join(" ")];
    }),
  ];
}

function savingRows(section: string, unit: string, saving: Saving): Row[] {
  const units = { share: "1", degreesOfFreedom: "1", precision: "1" } as Record<string, string>;
  const { convention: _, ...figures } = saving;
  return Object.entries(figures).map(([name, value]) => [section, "", name, rounded(value), units[name] ?? unit, ""]);
}

function reductionRows({ method, title, version, assumptions, reduction, broken }: MethodOutcome): Row[] {
  const yearly = "tCO2e/year";
  const figures = ["be", "ae", "le", "er"] as const;
  return [
    ["reduction", method, "method", `${title}, version ${version}`, "", ""],
    ...assumptions.map(({ parameter, value, message }): Row => {
      return ["assumption", method, parameter, /^-?[\d.]+$/.test(value) ? { figure: value } : value, "", message];
    }),
    ...broken.map(({ path, rule, message }): Row => ["broken rule", method, rule, path ?? "", "", message]),
    ...(reduction === null
      ? []
      : figures.map((name): Row => ["reduction", method, name, exactly(reduction[name]), yearly, ""])),
    ...(reduction?.lines ?? []).map(({ name, value, unit, source }): Row => {
      return ["line", method, name, exactly(value), unit, source];
    }),
  ];
}

function certifiableRows(method: string, { er, basis, problems }: Certifiability): Row[] {
  return [
    ...(er === null ? [] : [["certifiable", method, "er", exactly(er), "tCO2e/year", basis] satisfies Row]),
    ...problems.map(({ path, rule, message }): Row => ["not certifiable", method, rule, path ?? "", "", message]),
  ];
}

function sensitivityRows({ campaign, sensitivity }: CampaignResult): Row[] {
  const at = (group: string, name: string, positions: readonly number[]): Row[] =>
    positions.map((position) => ["sensitivity", group, name, `position ${position}`, "", ""]);
  return [
    ["sensitivity", "", "assumption", sensitivityAssumption, "", ""],
    ...groups.flatMap((group) => [
      ...at(group, "missing", campaign.missing[group]),
      ...at(group, "open", campaign.open[group]),
    ]),
    ...savingRows("saving with missing households", unitOf(campaign.terms), sensitivity.saving),
    ...sensitivity.reductions.flatMap(({ method, reduction, broken }): Row[] => [
      ...broken.map(({ path, rule, message }): Row => ["sensitivity", method, rule, path ?? "", "", message]),
      ...(reduction === null
        ? []
        : [["sensitivity", method, "er", exactly(reduction.er), "tCO2e/year", ""] satisfies Row]),
    ]),
  ];
}

function householdRows(group: string, { households }: GroupResult, unit: string): Row[] {
  return households.map((each): Row => {
    const { numerator, denominator } = dailyFuel(each);
    const value = displayText(decimal(numerator).div(decimal(denominator)), places);
    const divided = unit === household ? "" : ` ÷ ${peopleText(each)}`;
    const measured = `${each.totalGrams} g ÷ ${each.logs} days${divided}; ${each.claimIds.join(" ")}`;
    return ["household", group, `position ${each.position}`, { figure: value }, unit, measured];
  });
}

/** People or standard adults of a household on a day, on the mean of its logs. */
function peopleText({ divisor, logs }: ValuedHousehold): string {
  return displayText(decimal(divisor.numerator).div(decimal(divisor.denominator * BigInt(logs))), places);
}
