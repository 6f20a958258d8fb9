import { type RuleDetail, refuseBrokenRules } from "../../platform/errors.ts";
import { type Decimal, decimal, zero } from "./decimal.ts";
import { consumptionCaps, type Fuel, minimumServiceLevels, serviceLevelDiscount } from "./defaults.ts";
import { type Line, line, quantityLine } from "./lines.ts";
import { conservativeValue, type GroupStatistics } from "./statistics.ts";
import { convert, lesser, type Quantity, quantity, subtract, tonnesPerKilogram } from "./units.ts";

/** Fuel that one unit burns in a year (t), with every step from the measurements. */
export type FuelUse = { fuel: Quantity<"t">; lines: Line[] };

const daysPerYear = decimal(365);
const kpt = "KPT of the campaign";

/**
 * Calculate P_b from a KPT: kg per household and day of the reference group (its lower bound if 90/10 fails), over a year, at most
 * P_CAP per person. @throws AppError RULE_VIOLATION if the group is too small for a bound or the household size is not above 0
 */
export function measuredBaseline(
  group: GroupStatistics,
  fuel: Fuel,
  householdSize: Decimal,
  sizeSource = "given",
): FuelUse {
  const details = [...sizeProblems(householdSize), ...groupProblems(group, "reference")];
  refuseBrokenRules(details, "No baseline fuel use follows from these figures.");
  const measured = annualUse("Baseline", group, "lower");
  const cap = consumptionCaps[fuel];
  const most = quantity(cap.value.times(householdSize), "t");
  const capped = lesser(measured.fuel, most);
  const lines = [
    ...measured.lines,
    line("Household size", householdSize, "person", sizeSource),
    quantityLine("Most that is credited, P_CAP·household size", most, cap.source),
    quantityLine("Adjustment by the cap", subtract(capped, measured.fuel), cap.source),
    quantityLine("Baseline fuel of one unit in a year, P_b", capped, "the steps above"),
  ];
  return { fuel: capped, lines };
}

/**
 * Calculate P_b by option B: the minimum service level for a household of that size.
 * @throws AppError RULE_VIOLATION when the household size is not above 0
 */
export function minimumServiceBaseline(fuel: Fuel, householdSize: Decimal, sizeSource = "given"): FuelUse {
  refuseBrokenRules(sizeProblems(householdSize), "No baseline fuel use follows from these figures.");
  const level = minimumServiceLevels[fuel];
  const used = quantity(level.value.times(householdSize).times(serviceLevelDiscount.value), "t");
  const lines = [
    line("Minimum service level", level.value, level.unit, level.source),
    line("Household size", householdSize, "person", sizeSource),
    line("Uncertainty factor", serviceLevelDiscount.value, serviceLevelDiscount.unit, serviceLevelDiscount.source),
    quantityLine("Baseline fuel of one unit in a year, P_b", used, "the product of the three"),
  ];
  return { fuel: used, lines };
}

/**
 * Calculate P_p from a KPT: kg per household and day of the intervention group (its upper bound if 90/10 fails), over a year.
 * @throws AppError RULE_VIOLATION when the group is too small for a bound
 */
export function measuredActivity(group: GroupStatistics): FuelUse {
  refuseBrokenRules(groupProblems(group, "intervention"), "No fuel use of the activity follows from these figures.");
  const { fuel, lines } = annualUse("Activity", group, "upper");
  return { fuel, lines: [...lines, quantityLine("Activity fuel of one unit in a year, P_p", fuel, "the steps above")] };
}

function annualUse(name: string, group: GroupStatistics, side: "lower" | "upper"): FuelUse {
  const taken = conservativeValue(group, side);
  if (taken === null || group.mean === null) throw new RangeError("A group without a mean has been refused before.");
  const daily = "kg/household/day";
  const rule = group.meets9010
    ? "90/10 is met: the mean"
    : `90/10 is not met: the ${taken.taken} (${group.convention})`;
  const yearly = quantity(taken.value.times(daysPerYear), "kg");
  const fuel = convert(yearly, tonnesPerKilogram);
  const lines = [
    line(`${name}: mean of ${group.n} households`, group.mean, daily, kpt),
    ...(group.precision === null
      ? []
      : [line(`${name}: precision`, group.precision, "1", `${kpt}, ${group.convention}`)]),
    line(`${name}: adjustment for precision`, taken.value.minus(group.mean), daily, rule),
    quantityLine(
      `${name}: fuel of a household in a year`,
      fuel,
      `${daysPerYear} days, ${tonnesPerKilogram.value} t/kg`,
    ),
  ];
  return { fuel, lines };
}

function sizeProblems(householdSize: Decimal): RuleDetail[] {
  if (householdSize.gt(zero)) return [];
  return [{ path: "householdSize", rule: "range", message: "The household size is more than 0 people." }];
}

function groupProblems(group: GroupStatistics, name: string): RuleDetail[] {
  if (group.n === 0) return [{ path: name, rule: "group-measured", message: `The ${name} group has no measurement.` }];
  if (conservativeValue(group, "lower") !== null) return [];
  const message = `The ${name} group has one measurement; a bound needs two.`;
  return [{ path: name, rule: "group-measured", message }];
}
