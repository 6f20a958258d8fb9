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
  return fuelIds.filter((fuel) => testGroups.some((group) => groups[group].some((position) => burns(position, fuel))));
}

function burns({ burnt, daily }: SampledPosition, fuel: FuelId): boolean {
  return (burnt?.[fuel]?.gt(0) ?? false) || (daily?.[fuel]?.numerator ?? 0n) > 0n;
}

const nothing: Ratio = { numerator: 0n, denominator: 1n };

export function isMeasured({ burnt, daily }: SampledPosition): boolean {
  return burnt !== undefined || daily !== undefined;
}

/** The measured households of a group: kg a day of each fuel, the total ÷ the days of the test. */
export function measuredHouseholds(
  { groups }: Pick<CampaignInput, "groups">,
  group: TestGroup,
  days: number,
): Household[] {
  return groups[group].flatMap((position) => {
    const { burnt, daily } = position;
    if (daily !== undefined) return [householdOf(position, (fuel) => daily[fuel] ?? nothing)];
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
export function withMissingFilled(
  input: Pick<CampaignInput, "groups" | "design">,
  days: number,
): Record<TestGroup, Household[]> {
  const measured = measuredHouseholds(input, "reference", days);
  const means = new Map<string, Ratio>();
  const withoutSaving = (position: SampledPosition, fuel: FuelId): Ratio => {
    const key = JSON.stringify([input.design === "paired" ? position.position : (position.stratum ?? null), fuel]);
    const mean = means.get(key) ?? meanWithoutSaving(input, measured, position, fuel);
    means.set(key, mean);
    return mean;
  };
  const fill = (position: SampledPosition, group: TestGroup): Household[] => {
    if (isMeasured(position)) return [];
    if (group === "reference") return [householdOf(position, () => nothing)];
    return [householdOf(position, (fuel) => withoutSaving(position, fuel))];
  };
  const filled = (group: TestGroup) => [
    ...measuredHouseholds(input, group, days),
    ...input.groups[group].flatMap((position) => fill(position, group)),
  ];
  return { reference: filled("reference"), intervention: filled("intervention") };
}

/** Paired: what the household itself used before. Independent: the mean of the reference households of its stratum. */
function meanWithoutSaving(
  { design }: Pick<CampaignInput, "design">,
  reference: readonly Household[],
  { position, stratum }: SampledPosition,
  fuel: FuelId,
): Ratio {
  const same = reference.filter((each) =>
    design === "paired" ? each.position === position : each.stratum === (stratum ?? null),
  );
  return same.length === 0 ? nothing : meanOf(same.map((each) => each.daily(fuel)));
}

function meanOf(ratios: readonly Ratio[]): Ratio {
  const byDenominator = new Map<bigint, bigint>();
  for (const { numerator, denominator } of ratios) {
    byDenominator.set(denominator, (byDenominator.get(denominator) ?? 0n) + numerator);
  }
  let sum = nothing;
  for (const [denominator, numerator] of byDenominator) {
    if (numerator === 0n) continue;
    sum = {
      numerator: sum.numerator * denominator + numerator * sum.denominator,
      denominator: sum.denominator * denominator,
    };
  }
  return { numerator: sum.numerator, denominator: sum.denominator * BigInt(ratios.length) };
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
