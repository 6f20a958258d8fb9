import { privateKeyToAccount } from "viem/accounts";
import { type BenchStack, waitForOperation } from "./stack.ts";

export const campaignId = "KPT-BENCH";
export const planId = "PLAN-KPT-BENCH";
const implementerDid = "did:example:implementer/kpt-bench";

export type SampledHousehold = { householdId: string; testGroup: "reference" | "intervention" };

/** Register an implementer and its monitoring plan. */
export async function registerBenchPlan(stack: BenchStack): Promise<void> {
  const account = privateKeyToAccount(`0x${"7".repeat(64)}`).address;
  await stack.call("POST", "/v1/implementers", { did: implementerDid, account, name: "Bench implementer" });
  const period = { startDate: "2024-01-01", endDate: "2024-12-31" };
  await stack.call("POST", "/v1/monitoring-plans", { planId, implementerDid, period });
}

/** Draw a campaign whose frames equal its samples of `size` households: the reference group first. */
export async function drawBenchCampaign(stack: BenchStack, size: number): Promise<SampledHousehold[]> {
  const frame = (group: string) => Array.from({ length: size }, (_, i) => `did:example:household/kpt-${group}-${i}`);
  const groups = { reference: { frame: frame("reference") }, intervention: { frame: frame("intervention") } };
  await registerBenchPlan(stack);
  const csv = ["did", ...groups.reference.frame, ...groups.intervention.frame].join("\n");
  const operation = await stack.call("POST", "/v1/households/import", csv, { "content-type": "text/csv" });
  await waitForOperation(stack, String(operation.operationId));
  const testPeriod = { startDate: "2024-02-01", endDate: "2024-03-01" };
  await stack.call("POST", "/v1/campaigns", { campaignId, planId, testPeriod, groups, sampleSize: size });
  await stack.call("POST", `/v1/campaigns/${campaignId}/draw`, {});
  return (["reference", "intervention"] as const).flatMap((testGroup) =>
    groups[testGroup].frame.map((householdId) => ({ householdId, testGroup })),
  );
}

/** A claim of four daily logs, which differ between households. */
export function benchClaim(household: SampledHousehold, i: number) {
  const grams = [3200, 2800, 3000, 2900].map((log) => log + 1000 * (i % 7));
  const total = grams.reduce((sum, log) => sum + log, 0);
  return {
    type: "KPTClaim",
    campaignId,
    ...household,
    testPeriod: { startDate: "2024-02-01", endDate: "2024-02-04", durationDays: 3 },
    fuelMeasurements: { total: total / 1000, dailyLogs: grams.map((log) => log / 1000) },
    externalFactors: { season: "dry", culturalEvents: ["none"], occupationalFactors: ["typical_workweek"] },
  };
}
