import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { privateKeyToAccount } from "viem/accounts";
import { type Figure, percentile, ratioFigure } from "./figures.ts";
import type { LoadResult } from "./load.ts";
import { runLoad } from "./run-load.ts";
import { prepareScheme } from "./scheme.ts";
import { type BenchStack, waitForOperation } from "./stack.ts";
import { confirmTransfers } from "./transfers.ts";

const callers = 64;
const implementerDid = "did:example:implementer/kpt-bench";

/** KPT claims per second through the REST API, compared with redemptions and plain transfers in the same run. */
export async function benchKptClaims(stack: BenchStack, claims: number, seconds: number): Promise<Figure[]> {
  const { vouchers, supplierDid, productId } = await prepareScheme(stack, 500);
  const redemptions = vouchers.map((voucherId) => ({ voucherId, supplierDid, amount: 0.01, productId }));
  const redeem = {
    path: "/v1/vouchers/redeem",
    bodies: redemptions.map((body) => JSON.stringify(body)),
    callers,
    seconds,
  };
  await runLoad(stack, redeem);
  const redeemed = await runLoad(stack, redeem);
  const transfers = await confirmTransfers(stack, { seconds, inFlight: 1_000 });
  const households = await drawCampaign(stack, Math.ceil(claims / 2));
  const bodies = households.map((household, i) => JSON.stringify(claimOf(household, i)));
  const first = bodies.shift();
  await stack.call("POST", "/v1/claims", first);
  await forgetPeak(stack);
  const before = await peakOf(stack);
  const filed = await runLoad(stack, { path: "/v1/claims", callers, bodies, seconds: 3_600, once: true });
  const after = await peakOf(stack);
  return [
    ratioFigure(`KPT claims/s, ${callers} callers, ${claims} claims`, rateOf(filed), "/s", {
      name: `redemptions/s, ${callers} callers`,
      value: rateOf(redeemed),
    }),
    ratioFigure("KPT claims/s compared with transfers", rateOf(filed), "/s", {
      name: "ERC-20 transfers/s",
      value: transfers,
    }),
    { name: "latency p50", value: percentile(filed.latencies, 0.5), unit: "ms" },
    { name: "latency p99", value: percentile(filed.latencies, 0.99), unit: "ms" },
    { name: "API memory at the beginning", value: before, unit: "MB" },
    { name: "API memory, peak of the claims", value: after, unit: "MB" },
  ];
}

type Household = { householdId: string; testGroup: "reference" | "intervention" };

/** Draw a campaign whose frames equal its samples: the reference group first. */
async function drawCampaign(stack: BenchStack, size: number): Promise<Household[]> {
  const frame = (group: string) => Array.from({ length: size }, (_, i) => `did:example:household/kpt-${group}-${i}`);
  const groups = { reference: { frame: frame("reference") }, intervention: { frame: frame("intervention") } };
  const account = privateKeyToAccount(`0x${"7".repeat(64)}`).address;
  await stack.call("POST", "/v1/implementers", { did: implementerDid, account, name: "Bench implementer" });
  const period = { startDate: "2024-01-01", endDate: "2024-12-31" };
  await stack.call("POST", "/v1/monitoring-plans", { planId: "PLAN-KPT-BENCH", implementerDid, period });
  const testPeriod = { startDate: "2024-02-01", endDate: "2024-03-01" };
  const campaign = { campaignId: "KPT-BENCH", planId: "PLAN-KPT-BENCH", testPeriod, groups, sampleSize: size };
  const csv = ["did", ...groups.reference.frame, ...groups.intervention.frame].join("\n");
  const operation = await stack.call("POST", "/v1/households/import", csv, { "content-type": "text/csv" });
  await waitForOperation(stack, String(operation.operationId));
  await stack.call("POST", "/v1/campaigns", campaign);
  await stack.call("POST", "/v1/campaigns/KPT-BENCH/draw", {});
  return (["reference", "intervention"] as const).flatMap((testGroup) =>
    groups[testGroup].frame.map((householdId) => ({ householdId, testGroup })),
  );
}

function claimOf(household: Household, i: number) {
  const dailyLogs = [3.2, 2.8, 3, 2.9].map((log) => log + (i % 7));
  const total = Number(dailyLogs.reduce((sum, log) => sum + log, 0).toFixed(3));
  return {
    type: "KPTClaim",
    ...household,
    testPeriod: { startDate: "2024-02-01", endDate: "2024-02-04", durationDays: 3 },
    fuelMeasurements: { total, dailyLogs: dailyLogs.map((log) => Number(log.toFixed(3))) },
    externalFactors: { season: "dry", culturalEvents: ["none"], occupationalFactors: ["typical_workweek"] },
  };
}

function rateOf({ answered, seconds }: LoadResult): number {
  return answered / seconds;
}

/** The API's process, which holds the embedded database's lock. */
async function processOf({ dataDir }: BenchStack): Promise<string> {
  const pid = /\d+/.exec(await readFile(join(dataDir, "api-db.lock"), "utf8"))?.[0];
  if (pid === undefined) throw new Error("Nobody holds the embedded database.");
  return `/proc/${pid}`;
}

/** Reset the peak of the API's memory (Linux, own processes). */
async function forgetPeak(stack: BenchStack): Promise<void> {
  await writeFile(`${await processOf(stack)}/clear_refs`, "5");
}

/** Peak memory of the API since forgetPeak, in MB. */
async function peakOf(stack: BenchStack): Promise<number> {
  const status = await readFile(`${await processOf(stack)}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? Number.NaN) / 1024;
}
