/** Visits of a KPT claim with weighings of several fuels: the measurement that is derived from them, and their rules. */

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

/** A visit. `day` counts from the first day of the period, 0; `fuels` is empty on a visit that only starts the test. */
export type KptVisit = { day: number; at: string; collector: string; fuels: readonly KptWeighing[] };

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

/**
 * Derive total and daily logs of one fuel from visits: one log for each visit with weighings, in the order of the days.
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
): { total: bigint; dailyLogs: bigint[] } {
  const dailyLogs = weighingVisits(visits).map(({ fuels }) => sumOf(fuels.filter((each) => each.fuel === fuel)));
  return { total: dailyLogs.reduce((sum, log) => sum + log, 0n), dailyLogs };
}

/**
 * Add up the use of each fuel over all visits, in grams (Wh of electricity).
 *
 * @example
 * ```ts
 * import { fuelsOfVisits } from "@hearth/wire";
 *
 * const wood = { fuel: "wood", start: 10_000n, added: 0n, end: 7_000n } as const;
 * fuelsOfVisits([{ day: 0, at: "2024-02-01T18:00:00Z", collector: "did:key:z6Mk", fuels: [wood] }]).get("wood"); // 3000n
 * ```
 */
export function fuelsOfVisits(visits: readonly KptVisit[]): Map<KptFuel, bigint> {
  const found = new Map<KptFuel, bigint>();
  for (const weighing of visits.flatMap(({ fuels }) => fuels)) {
    found.set(weighing.fuel, (found.get(weighing.fuel) ?? 0n) + usedOf(weighing));
  }
  return found;
}

function weighingVisits(visits: readonly KptVisit[]): KptVisit[] {
  return visits.filter(({ fuels }) => fuels.length > 0).sort((a, b) => a.day - b.day);
}

function sumOf(weighings: readonly KptWeighing[]): bigint {
  return weighings.reduce((sum, weighing) => sum + usedOf(weighing), 0n);
}

/** A rule that visits break, before it has a message. */
export type BrokenVisitRule = {
  rule: string;
  path: string;
  reason: "visitDayTwice" | "visitDayOutside" | "fuelTwice" | "endTooLarge" | "moistureOutside" | "nothingBurnt";
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
