import { Decimal } from "decimal.js";
import type { JsonNumber } from "../../../platform/values/numbers.ts";
import { decimal, decimalText, jsonExact } from "../../emissions/index.ts";
import { unitsOfHousehold } from "../result/evaluation.ts";
import type { CampaignResultFigures } from "../result/schemas.ts";

type ReductionFigures = CampaignResultFigures["emissions"]["reductions"][number];

/** The row of a year, and what its figures are. */
export type GuardianRow = {
  /** Figures as numbers of at most 9 decimals, which a signature keeps; null for what was not measured. */
  fields: Record<string, JsonNumber | string | null>;
  /** The same figures with every digit, as decimal text. */
  exact: Record<string, string>;
  /** The unit of each figure. */
  units: Record<string, string>;
  /** Fields without a figure, and why. */
  notMeasured: Record<string, string>;
};

/** Decimals and digits of a figure that is signed as a number: every reader of JSON keeps so many. */
const places = 9;
const digits = 15;
const modes = { down: Decimal.ROUND_DOWN, "half-up": Decimal.ROUND_HALF_UP } as const;
const daysOf = (year: number): number => (Date.UTC(year + 1, 0, 1) - Date.UTC(year, 0, 1)) / 86_400_000;

/** `deviceDays`: those of the counted devices; undefined where the number of devices was stated. */
type RowOf = { year: number; deviceDays: number | undefined };

/** Write a reduction under the names of the emission reductions in Guardian's cookstove policies. */
export function guardianRow(reduction: ReductionFigures, { year, deviceDays }: RowOf): GuardianRow {
  const figures: [name: string, value: Decimal | undefined, unit: string][] = [
    ["nb_p_y", deviceDays === undefined ? devicesInDays(reduction, year) : decimal(deviceDays), "technology-day/year"],
    ["up_y", lineOf(reduction, "U"), "share of devices in use"],
    ["pb_mean", tonnesADay(reduction, "Baseline"), "t/technology-day"],
    ["pp_mean", tonnesADay(reduction, "Activity"), "t/technology-day"],
    ["daf_netzero_y", lineOf(reduction, "DAF"), "1"],
    ["n_disseminated", lineOf(reduction, "N_new"), "technology"],
    ["fnrb_b_y", lineOf(reduction, "fNRB"), "1"],
    ["he_ind", lineOf(reduction, "HE"), "1"],
    ["be_y", given(reduction.be), "tCO2e/year"],
    ["ae_y", given(reduction.ae), "tCO2e/year"],
    ["embodied_le", stepOf(reduction, "LE_embodied"), "tCO2e/year"],
    ["le_market_y", stepOf(reduction, "LE_market"), "tCO2e/year"],
    ["le_y", given(reduction.le), "tCO2e/year"],
    ["er_y", given(reduction.certifiable.er ?? reduction.er), "tCO2e/year"],
  ];
  const row: GuardianRow = {
    fields: { year: String(year), stove_stacking_fraction: null },
    exact: {},
    units: {},
    notMeasured: {
      stove_stacking_fraction: "The test weighs all fuel of a household, that of its other stoves included.",
    },
  };
  for (const [name, value, unit] of figures) {
    if (value === undefined) {
      row.fields[name] = null;
      row.notMeasured[name] = `${reduction.method} does not use it.`;
      continue;
    }
    // What is credited is never rounded up.
    const rounding = name === "er_y" ? ("down" as const) : ("half-up" as const);
    row.fields[name] = rounded(value, rounding);
    row.exact[name] = decimalText(value);
    row.units[name] = unit;
  }
  return row;
}

const given = (value: number | null): Decimal | undefined => (value === null ? undefined : exactOf(value));

/** A figure of a stored result: a number that carries its own digits. */
function exactOf(value: unknown): Decimal {
  const text = value !== null && typeof value === "object" && "rawJSON" in value ? value.rawJSON : value;
  return decimal(String(text));
}

/** A figure of the method by its symbol; the project's where baseline and project differ. */
function lineOf({ lines }: ReductionFigures, symbol: string): Decimal | undefined {
  const found = lines.find(({ name }) => name === symbol) ?? lines.find(({ name }) => name === `Activity: ${symbol}`);
  return found && exactOf(found.value);
}

/** The result of a formula by its symbol. */
function stepOf({ lines }: ReductionFigures, symbol: string): Decimal | undefined {
  const found = lines.find(({ name }) => name.endsWith(`, ${symbol}`));
  return found && exactOf(found.value);
}

/** Devices times days; some methods count devices, some years or days of devices. */
function devicesInDays(reduction: ReductionFigures, year: number): Decimal | undefined {
  const found = reduction.lines.find(({ name }) => name === "N" || name === "Activity: N");
  if (found === undefined) return undefined;
  const count = exactOf(found.value);
  return found.unit.includes("day") ? count : count.times(daysOf(year));
}

/** Compute a group's mean in tonnes a household and day; multiply a value per person by the people of a household. */
function tonnesADay({ lines }: ReductionFigures, side: "Baseline" | "Activity"): Decimal | undefined {
  const found = lines.find(({ name, unit }) => name.startsWith(`${side}: mean of`) && unit.startsWith("kg/"));
  const size = lines.find(({ name }) => Object.values<string>(unitsOfHousehold).includes(name));
  const mean = found && exactOf(found.value).div(1_000);
  return mean && size ? mean.times(exactOf(size.value)) : mean;
}

function rounded(value: Decimal, rounding: keyof typeof modes): JsonNumber {
  const mode = modes[rounding];
  return jsonExact(value.toDecimalPlaces(places, mode).toSignificantDigits(digits, mode));
}
