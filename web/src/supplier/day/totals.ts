import { toMicro } from "../../../../wire/src/exact.ts";
import type { Claim, Redemption } from "../records.ts";

export const daySides = ["pending", "paid", "refused"] as const;
export type DaySide = (typeof daySides)[number];

const sideOf: Record<Redemption["status"], DaySide> = {
  pending_delivery: "pending",
  under_review: "pending",
  disputed: "pending",
  settled: "paid",
  rejected: "refused",
  invalidated: "refused",
  reversed: "refused",
  lapsed: "refused",
};

export type Tally = { count: number; carbon: bigint };
export type DayLine = { productId: string } & Record<DaySide, Tally>;

const emptyLine = (productId: string): DayLine => ({
  productId,
  pending: { count: 0, carbon: 0n },
  paid: { count: 0, carbon: 0n },
  refused: { count: 0, carbon: 0n },
});

function add(line: DayLine, side: DaySide, carbon: bigint): void {
  line[side] = { count: line[side].count + 1, carbon: line[side].carbon + carbon };
}

/** Total a day's redemptions by product and state. `refused` are orders of this device that never became redemptions. */
export function totalsOf(
  redemptions: Pick<Redemption, "productId" | "status" | "amount">[],
  refused: { productId: string; amount: string }[],
): { lines: DayLine[]; total: DayLine } {
  const lines = new Map<string, DayLine>();
  const total = emptyLine("");
  const count = (productId: string, side: DaySide, carbon: bigint) => {
    const line = lines.get(productId) ?? emptyLine(productId);
    lines.set(productId, line);
    add(line, side, carbon);
    add(total, side, carbon);
  };
  for (const { productId, status, amount } of redemptions) count(productId, sideOf[status], toMicro(amount));
  for (const { productId, amount } of refused) count(productId, "refused", toMicro(amount));
  return { lines: [...lines.values()].sort((a, b) => a.productId.localeCompare(b.productId)), total };
}

/** Sum what the claims of a day paid, by asset. */
export function paymentsOf(claims: Pick<Claim, "settlement">[]): { stablecoin: bigint; carbon: bigint } {
  const sums = { stablecoin: 0n, carbon: 0n };
  for (const { settlement } of claims) {
    if (settlement === null) continue;
    sums[settlement.asset === "CARBON" ? "carbon" : "stablecoin"] += toMicro(settlement.amount);
  }
  return sums;
}

/** First moment of a day (`YYYY-MM-DD`) and of the next one, in the time zone of this device. */
export function boundsOf(day: string): { from: string; before: string } {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  const at = (offset: number) => new Date(year, month - 1, date + offset).toISOString();
  return { from: at(0), before: at(1) };
}

/** The day of a moment in the time zone of this device. */
export function dayOf(moment: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
}
