import { ApiMemory } from "./api-memory.ts";
import { benchClaim, drawBenchCampaign } from "./campaign-scene.ts";
import { type Figure, percentile, ratioFigure } from "./figures.ts";
import type { LoadResult } from "./load.ts";
import { runLoad } from "./run-load.ts";
import { prepareScheme } from "./scheme.ts";
import type { BenchStack } from "./stack.ts";
import { confirmTransfers } from "./transfers.ts";

const callers = 64;

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
  const households = await drawBenchCampaign(stack, Math.ceil(claims / 2));
  const bodies = households.map((household, i) => JSON.stringify(benchClaim(household, i)));
  const first = bodies.shift();
  await stack.call("POST", "/v1/claims", first);
  const memory = new ApiMemory(stack);
  const filed = await runLoad(stack, { path: "/v1/claims", callers, bodies, seconds: 3_600, once: true });
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
    { name: "API memory at the beginning", value: memory.before, unit: "MiB" },
    { name: "API memory, peak of the claims", value: memory.peak(), unit: "MiB" },
  ];
}

function rateOf({ answered, seconds }: LoadResult): number {
  return answered / seconds;
}
