import type { Decimal } from "../decimal.ts";
import { decimal } from "../decimal.ts";
import { type FuelId, fuelIds } from "../fuels.ts";
import type { Ratio } from "../statistics.ts";
import type { Observation } from "./estimate.ts";
import type { CampaignInput, SampledPosition, TestGroup } from "./input.ts";
import { measuredDecimals, testGroups } from "./input.ts";

const partsPerUnit = decimal(10).pow(measuredDecimals);

/** A position whose use of every fuel is known or assumed. */
export type Household = { position: number; stratum: string | null; daily: (fuel: FuelId) => Ratio };

/** Fuels that a household of either group burnt, in the order of the list of fuels. */
export function fuelsOf({ groups }: CampaignInput): FuelId[] {
  return fuelIds.filter((fuel) =>
    testGroups.some((group) => groups[group].some(({ burnt }) => burnt?.[fuel]?.gt(0) ?? false)),
  );
}

const nothing: Ratio = { numerator: 0n, denominator: 1n };

/** The measured households of a group: kg a day of each fuel, the total ÷ the days of the test. */
export function measuredHouseholds(input: CampaignInput, group: TestGroup, days: number): Household[] {
  return input.groups[group].flatMap((position) => {
    const { burnt } = position;
    return burnt === undefined ? [] : [householdOf(position, (fuel) => perDay(burnt[fuel], days))];
  });
}

function householdOf({ position, stratum }: SampledPosition, daily: Household["daily"]): Household {
  return { position, stratum: stratum ?? null, daily };
}

/** Exactly total ÷ days. */
function perDay(total: Decimal | undefined, days: number): Ratio {
  if (total === undefined) return nothing;
  return {
    numerator: BigInt(total.times(partsPerUnit).toFixed(0)),
    denominator: BigInt(partsPerUnit.toFixed(0)) * BigInt(days),
  };
}

/**
 * Both groups with their missing positions filled against the programme: a missing intervention household uses what the reference
 * uses, and so saves nothing; a missing reference household uses nothing.
 */
export function withMissingFilled(input: CampaignInput, days: number): Record<TestGroup, Household[]> {
  const measured = measuredHouseholds(input, "reference", days);
  const fill = (position: SampledPosition, group: TestGroup): Household[] => {
    if (position.burnt !== undefined) return [];
    if (group === "reference") return [householdOf(position, () => nothing)];
    return [householdOf(position, (fuel) => withoutSaving(input, measured, position, fuel))];
  };
  const filled = (group: TestGroup) => [
    ...measuredHouseholds(input, group, days),
    ...input.groups[group].flatMap((position) => fill(position, group)),
  ];
  return { reference: filled("reference"), intervention: filled("intervention") };
}

/** Paired: what the household itself used before. Independent: the mean of the reference households of its stratum. */
function withoutSaving(
  { design }: CampaignInput,
  reference: readonly Household[],
  { position, stratum }: SampledPosition,
  fuel: FuelId,
): Ratio {
  const same = reference.filter((each) =>
    design === "paired" ? each.position === position : each.stratum === (stratum ?? null),
  );
  if (same.length === 0) return nothing;
  // A use of nothing is 0 ÷ 1; all others of one test have the same denominator.
  const ratios = same.map((each) => each.daily(fuel));
  const denominator = ratios.find(({ numerator }) => numerator !== 0n)?.denominator ?? 1n;
  const total = ratios.reduce((sum, { numerator }) => sum + numerator, 0n);
  return { numerator: total, denominator: denominator * BigInt(same.length) };
}

/** The values of one fuel. */
export function observationsOf(households: readonly Household[], fuel: FuelId): Observation[] {
  return households.map(({ stratum, daily }) => ({ stratum, value: daily(fuel) }));
}

/** Subtract the intervention from the reference use in each pair. */
export function differencesOf(groups: Record<TestGroup, Household[]>, fuel: FuelId): Observation[] {
  const after = new Map(groups.intervention.map((household) => [household.position, household]));
  return groups.reference.flatMap(({ position, stratum, daily }) => {
    const other = after.get(position);
    if (other === undefined) return [];
    const [a, b] = [daily(fuel), other.daily(fuel)];
    const numerator = a.numerator * b.denominator - b.numerator * a.denominator;
    return [{ stratum, value: { numerator, denominator: a.denominator * b.denominator } }];
  });
}
