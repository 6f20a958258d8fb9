import type { Group } from "../../api/scheme/campaigns/groups.ts";
import type { EmissionsTerms } from "../../api/scheme/campaigns/result/inputs/emissions-terms.ts";
import type { MeasuredClaim } from "../../api/scheme/campaigns/result/inputs/households.ts";
import type { CampaignToDescribe } from "../../api/scheme/campaigns/result/result.ts";
import { decimal } from "../../api/scheme/emissions/decimal.ts";

/** For tests: terms that leave nothing to assume, those of the worked case of api/scheme/emissions/kpt-reduction.test.ts. */
export const givenTerms: EmissionsTerms = {
  method: "smec-4",
  fuel: "wood",
  area: "ZMB",
  units: "1000",
  householdSize: "4.5",
  usageSurvey: { surveyed: 100, inUse: 92 },
  newUnits: "1000",
  life: "3",
  daf: "0.1",
  he: "0.9",
  leakage: "0",
};

/** For tests: a campaign of 200 households in each frame. */
export function exampleCampaign(changes: Partial<CampaignToDescribe> = {}): CampaignToDescribe {
  return {
    precision: decimal("0.1"),
    convention: "two-sided-90",
    test: { startDate: "2026-02-01", endDate: "2026-02-03", dayCount: "calendar" },
    sampleSize: 5,
    twoParties: true,
    frameSizes: { reference: 200, intervention: 200 },
    terms: givenTerms,
    missing: { reference: [], intervention: [] },
    open: { reference: [], intervention: [] },
    openSiblings: [],
    ...changes,
  };
}

/** For tests: one claim of each household, with these grams in all over `logs` days. */
export function claimsOf(group: Group, totals: readonly number[], logs = 3): MeasuredClaim[] {
  return totals.map((grams, position) => ({
    id: `KPT-${group}-${position}`,
    group,
    position,
    totalGrams: BigInt(grams),
    logs,
  }));
}

/** For tests: about `mean` grams a day, normally spread, the same for the same seed. */
export function inventedTotals(n: number, { mean, deviation, seed = 1, logs = 3 }: InventedSpread): number[] {
  let state = seed;
  const random = () => {
    // Park and Miller's generator: small, and the same on every machine.
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  return Array.from({ length: n }, () => {
    const normal = Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
    return Math.max(1, Math.round((mean + deviation * normal) * logs));
  });
}
type InventedSpread = { mean: number; deviation: number; seed?: number; logs?: number };
