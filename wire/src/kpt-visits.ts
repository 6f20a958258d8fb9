/** Visits of a KPT claim with weighings of several fuels: the measurement that is derived from them, and their rules. */
import type { CampaignGroup } from "./ids.ts";

/** Fuels that a visit may weigh, or meter: electricity is counted in kWh, all others in kilograms. */
export const kptFuels = [
  "wood",
  "charcoal",
  "pellets",
  "briquettes",
  "residues",
  "dung",
  "ethanol",
  "biogas",
  "lpg",
  "kerosene",
  "natural-gas",
  "electricity",
] as const;
export type KptFuel = (typeof kptFuels)[number];

/** Readings of a moisture meter in hundredths of a percent: three pieces of fuel at three points each. */
export type KptMoisture = { basis: "wet" | "dry"; readings: readonly (readonly bigint[])[] };

/** One fuel at a visit, in grams (Wh of electricity). Used since the last visit: start + added − end. */
export type KptWeighing = {
  fuel: KptFuel;
  start: bigint;
  added: bigint;
  end: bigint;
  scaleId?: string | undefined;
  moisture?: KptMoisture | undefined;
};

/** Who ate since the last visit: children 0–14, women over 14, men 15–59, men over 59 (`elderly`), guests of any age. */
export type KptPeople = { children: number; women: number; men: number; elderly: number; guests: number };

/** A visit. `day` counts from the first day of the period, 0; `fuels` is empty on a visit that only starts the test. */
export type KptVisit = {
  day: number;
  at: string;
  collector: string;
  fuels: readonly KptWeighing[];
  /** Absent where it was not asked. A kind of people that is not named is 0. */
  peopleFed?: Readonly<{ [Kind in keyof KptPeople]?: KptPeople[Kind] | undefined }> | undefined;
};

/**
 * The people that visits with weighings fed, added up over `days` of them. `nobody` counts the visits that state that nobody was
 * fed although fuel was used; they are not in `days`.
 */
export type KptPeopleFed = KptPeople & { days: number; nobody: number };

/**
 * Compute the use of a fuel from its weighings at a visit, in grams (Wh of electricity).
 *
 * @example
 * ```ts
 * import { usedOf } from "@hearth/wire";
 *
 * usedOf({ start: 10_000n, added: 2_000n, end: 8_500n }); // 3500n
 * ```
 */
export function usedOf({ start, added, end }: Pick<KptWeighing, "start" | "added" | "end">): bigint {
  return start + added - end;
}

/** How a campaign counts the mass of fuel: as it was weighed, or solid biomass without its water. */
export const fuelMasses = ["as-weighed", "dry"] as const;
export type FuelMass = (typeof fuelMasses)[number];

/**
 * Solid biomass, whose water counts where a campaign counts dry mass. Charcoal is not in the list: it was dried when it was
 * made, meters for wood cannot read it because it conducts electricity, and its calorific value is stated as it is sold.
 */
export const driedFuels = ["wood", "pellets", "briquettes", "residues", "dung"] as const satisfies readonly KptFuel[];
export type DriedFuel = (typeof driedFuels)[number];

/**
 * Check whether a fuel is solid biomass that a campaign of dry mass counts without its water.
 *
 * @example
 * ```ts
 * import { isDriedFuel } from "@hearth/wire";
 *
 * isDriedFuel("charcoal"); // false
 * ```
 */
export function isDriedFuel(fuel: string): fuel is DriedFuel {
  return (driedFuels as readonly string[]).includes(fuel);
}

/** The amount of fuel that a weighing counts, in grams (Wh of electricity). */
export type AmountOf = (weighing: KptWeighing) => bigint;

const readingsInAll = 9n;

/**
 * Compute the dry mass of what a weighing used, in whole grams: wet · (1 − MC_wet), MC_wet = MC_dry ÷ (1 + MC_dry), MC the mean of
 * the nine readings. It is exact until the one rounding, to grams: down in the reference group, up in the intervention group, so
 * that no saving is rounded up. A fuel without water to subtract, and a weighing without moisture, count as weighed.
 *
 * @example
 * ```ts
 * import { dryMassOf, type KptMoisture } from "@hearth/wire";
 *
 * const moisture: KptMoisture = { basis: "wet", readings: [1, 2, 3].map(() => [2_000n, 2_000n, 2_000n]) }; // 20 %
 * dryMassOf({ fuel: "wood", start: 10_000n, added: 0n, end: 7_000n, moisture }, "reference"); // 2400n
 * ```
 */
export function dryMassOf(weighing: KptWeighing, group: CampaignGroup): bigint {
  const { fuel, moisture } = weighing;
  const wet = usedOf(weighing);
  if (moisture === undefined || !isDriedFuel(fuel)) return wet;
  const whole = readingsInAll * hundredPercent;
  const water = moisture.readings.flat().reduce((sum, reading) => sum + reading, 0n);
  const [numerator, denominator] =
    moisture.basis === "wet" ? [wet * (whole - water), whole] : [wet * whole, whole + water];
  const isUp = group === "intervention" && numerator % denominator !== 0n;
  return numerator / denominator + (isUp ? 1n : 0n);
}

/**
 * Return how a campaign counts a weighing of one of its groups.
 *
 * @example
 * ```ts
 * import { amountIn } from "@hearth/wire";
 *
 * amountIn("as-weighed", "reference")({ fuel: "wood", start: 10_000n, added: 0n, end: 7_000n }); // 3000n
 * ```
 */
export function amountIn(mass: FuelMass | undefined, group: CampaignGroup): AmountOf {
  return mass === "dry" ? (weighing) => dryMassOf(weighing, group) : usedOf;
}

/**
 * Derive total and daily logs of one fuel from visits: one log for each visit with weighings, in the order of the days.
 *
 * @param amountOf how a weighing counts ({@link amountIn}); absent: as weighed
 *
 * @example
 * ```ts
 * import { type KptVisit, measurementOfVisits } from "@hearth/wire";
 *
 * const fuels: KptVisit["fuels"] = [{ fuel: "wood", start: 10_000n, added: 0n, end: 7_000n }];
 * const visits = [0, 1, 2].map((day) => ({ day, at: `2024-02-0${day + 1}T18:00:00Z`, collector: "did:key:z6Mk", fuels }));
 * measurementOfVisits(visits, "wood").total; // 9000n
 * ```
 */
export function measurementOfVisits(
  visits: readonly KptVisit[],
  fuel: KptFuel,
  amountOf: AmountOf = usedOf,
): { total: bigint; dailyLogs: bigint[] } {
  const amountAt = ({ fuels }: KptVisit) =>
    fuels.filter((each) => each.fuel === fuel).reduce((sum, weighing) => sum + amountOf(weighing), 0n);
  const dailyLogs = weighingVisits(visits).map(amountAt);
  return { total: dailyLogs.reduce((sum, log) => sum + log, 0n), dailyLogs };
}

/**
 * Add up the use of each fuel over all visits, in grams (Wh of electricity).
 *
 * @param amountOf how a weighing counts ({@link amountIn}); absent: as weighed
 *
 * @example
 * ```ts
 * import { fuelsOfVisits } from "@hearth/wire";
 *
 * const wood = { fuel: "wood", start: 10_000n, added: 0n, end: 7_000n } as const;
 * fuelsOfVisits([{ day: 0, at: "2024-02-01T18:00:00Z", collector: "did:key:z6Mk", fuels: [wood] }]).get("wood"); // 3000n
 * ```
 */
export function fuelsOfVisits(visits: readonly KptVisit[], amountOf: AmountOf = usedOf): Map<KptFuel, bigint> {
  const found = new Map<KptFuel, bigint>();
  for (const weighing of visits.flatMap(({ fuels }) => fuels)) {
    found.set(weighing.fuel, (found.get(weighing.fuel) ?? 0n) + amountOf(weighing));
  }
  return found;
}

/**
 * Add up the people that were fed, over all visits with weighings that state them.
 *
 * @example
 * ```ts
 * import { peopleFedOf } from "@hearth/wire";
 *
 * const fuels = [{ fuel: "wood", start: 10_000n, added: 0n, end: 7_000n }] as const;
 * const peopleFed = { women: 2, children: 3 };
 * const visits = [0, 1].map((day) => ({ day, at: `2024-02-0${day + 1}T18:00:00Z`, collector: "did:key:z6Mk", fuels, peopleFed }));
 * peopleFedOf(visits); // { days: 2, nobody: 0, children: 6, women: 4, men: 0, elderly: 0, guests: 0 }
 * ```
 */
export function peopleFedOf(visits: readonly KptVisit[]): KptPeopleFed {
  const sum: KptPeopleFed = { days: 0, nobody: 0, children: 0, women: 0, men: 0, elderly: 0, guests: 0 };
  for (const { fuels, peopleFed } of weighingVisits(visits)) {
    if (peopleFed === undefined) continue;
    const people = peopleKinds.reduce((all, kind) => all + (peopleFed[kind] ?? 0), 0);
    if (people === 0 && fuels.some((weighing) => usedOf(weighing) > 0n)) {
      sum.nobody += 1;
      continue;
    }
    sum.days += 1;
    for (const kind of peopleKinds) sum[kind] += peopleFed[kind] ?? 0;
  }
  return sum;
}

/** Kinds of people that a visit counts. */
export const peopleKinds = [
  "children",
  "women",
  "men",
  "elderly",
  "guests",
] as const satisfies readonly (keyof KptPeople)[];

function weighingVisits(visits: readonly KptVisit[]): KptVisit[] {
  return visits.filter(({ fuels }) => fuels.length > 0).sort((a, b) => a.day - b.day);
}

/** A rule that visits break, before it has a message. */
export type BrokenVisitRule = {
  rule: string;
  path: string;
  reason:
    | "visitDayTwice"
    | "visitDayOutside"
    | "fuelTwice"
    | "endTooLarge"
    | "moistureOutside"
    | "nothingBurnt"
    | "moistureMissing"
    | "dryNcvMissing";
  values: Record<string, string | number>;
};

const hundredPercent = 10_000n;

/**
 * List each rule that visits break.
 *
 * @param lastDay the last day of the period, counted from 0; null without a period
 *
 * @example
 * ```ts
 * import { brokenVisitRules } from "@hearth/wire";
 *
 * const wood = { fuel: "wood", start: 1_000n, added: 0n, end: 2_000n } as const;
 * const visit = { day: 0, at: "2024-02-01T18:00:00Z", collector: "did:key:z6Mk", fuels: [wood] };
 * brokenVisitRules([visit], 3)[0]?.rule; // "weighing-balance"
 * ```
 */
export function brokenVisitRules(visits: readonly KptVisit[], lastDay: number | null): BrokenVisitRule[] {
  const found: BrokenVisitRule[] = [];
  const days = new Set<number>();
  for (const [i, { day, fuels }] of visits.entries()) {
    const path = `visits.${i}`;
    const values = { day };
    if (days.has(day)) found.push({ rule: "visit-days", path: `${path}.day`, reason: "visitDayTwice", values });
    days.add(day);
    if (lastDay !== null && day > lastDay) {
      found.push({ rule: "visit-days", path: `${path}.day`, reason: "visitDayOutside", values: { day, lastDay } });
    }
    const seen = new Set<KptFuel>();
    for (const [j, weighing] of fuels.entries()) {
      found.push(...weighingProblems(weighing, `${path}.fuels.${j}`, seen.has(weighing.fuel)));
      seen.add(weighing.fuel);
    }
  }
  if ([...fuelsOfVisits(visits).values()].every((used) => used <= 0n)) {
    found.push({ rule: "positive-values", path: "visits", reason: "nothingBurnt", values: {} });
  }
  return found;
}

/** What a campaign that counts dry mass asks of visits. */
export type DryMassTerms = {
  campaignId: string;
  /** Fuels whose calorific value without water the campaign committed. */
  dryNcvOf: readonly KptFuel[];
};

/**
 * List each rule of a campaign of dry mass that visits break: each weighing of solid biomass has its moisture, and a calorific value
 * of the dry fuel that the campaign committed. Where there was no fuel to weigh, there is no moisture either.
 *
 * @example
 * ```ts
 * import { brokenDryMassRules } from "@hearth/wire";
 *
 * const wood = { fuel: "wood", start: 2_000n, added: 0n, end: 1_000n } as const;
 * const visit = { day: 0, at: "2024-02-01T18:00:00Z", collector: "did:key:z6Mk", fuels: [wood] };
 * brokenDryMassRules([visit], { campaignId: "KPT-1", dryNcvOf: ["wood"] })[0]?.rule; // "moisture-given"
 * ```
 */
export function brokenDryMassRules(
  visits: readonly KptVisit[],
  { campaignId, dryNcvOf }: DryMassTerms,
): BrokenVisitRule[] {
  return visits.flatMap(({ fuels }, i) =>
    fuels.flatMap(({ fuel, start, added, moisture }, j): BrokenVisitRule[] => {
      if (!isDriedFuel(fuel)) return [];
      const path = `visits.${i}.fuels.${j}`;
      const values = { fuel, campaignId };
      const found: BrokenVisitRule[] = [];
      if (moisture === undefined && start + added > 0n) {
        found.push({ rule: "moisture-given", path: `${path}.moisture`, reason: "moistureMissing", values });
      }
      if (!dryNcvOf.includes(fuel)) {
        found.push({ rule: "dry-ncv-committed", path: `${path}.fuel`, reason: "dryNcvMissing", values });
      }
      return found;
    }),
  );
}

function weighingProblems(weighing: KptWeighing, path: string, isTwice: boolean): BrokenVisitRule[] {
  const { fuel, moisture } = weighing;
  const found: BrokenVisitRule[] = [];
  const values = { fuel };
  if (isTwice) found.push({ rule: "fuel-once", path: `${path}.fuel`, reason: "fuelTwice", values });
  if (usedOf(weighing) < 0n) {
    found.push({ rule: "weighing-balance", path: `${path}.end`, reason: "endTooLarge", values });
  }
  const isOutside = moisture?.readings.flat().some((reading) => reading <= 0n || reading >= hundredPercent) ?? false;
  if (isOutside) found.push({ rule: "moisture-range", path: `${path}.moisture`, reason: "moistureOutside", values });
  return found;
}
