import { type Figure, percentile, ratioFigure } from "./figures.ts";
import type { LoadResult } from "./load.ts";
import { runLoad } from "./run-load.ts";
import { prepareScheme } from "./scheme.ts";
import type { BenchStack } from "./stack.ts";
import { confirmTransfers } from "./transfers.ts";

/** Redemptions per second through the REST API, compared with plain transfers on the same chain in the same run. */
export async function benchRedemptions(stack: BenchStack, seconds: number): Promise<Figure[]> {
  const { vouchers, supplierDid, productId } = await prepareScheme(stack, 2_000);
  const bodies = vouchers.map((voucherId) => JSON.stringify({ voucherId, supplierDid, amount: 0.01, productId }));
  const transfers = await confirmTransfers(stack, { seconds, inFlight: 1_000 });
  const first = await load(stack, bodies, 1_000, seconds);
  const later = await load(stack, bodies, 1_000, seconds);
  const few = await load(stack, bodies, 10, seconds);
  const again = await confirmTransfers(stack, { seconds, inFlight: 1_000 });
  const reference = { name: "ERC-20 transfers/s of one client", value: (transfers + again) / 2 };
  return [
    ratioFigure("redemptions/s, 1 000 callers, first and later use", rate(first), "/s", reference, 1),
    ratioFigure("redemptions/s, 1 000 callers, later use", rate(later), "/s", reference, 1),
    ...latencies("1 000 callers", later),
    ...latencies("10 callers", few),
  ];
}

function latencies(name: string, result: LoadResult): Figure[] {
  return [
    { name: `latency p50, ${name}`, value: percentile(result.latencies, 0.5), unit: "ms" },
    { name: `latency p99, ${name}`, value: percentile(result.latencies, 0.99), unit: "ms" },
  ];
}

function rate(result: LoadResult): number {
  return result.answered / result.seconds;
}

function load(stack: BenchStack, bodies: string[], callers: number, seconds: number): Promise<LoadResult> {
  return runLoad(stack, { path: "/v1/vouchers/redeem", callers, seconds, bodies });
}
