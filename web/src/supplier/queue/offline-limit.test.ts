import { describe, expect, it } from "vitest";
import { cardCode, cardQrText } from "../../../../wire/src/card-code.ts";
import type { QueueEntry } from "./entry.ts";
import { isOffline, leftOffline, spenderOf } from "./offline-limit.ts";

const cardId = "40718293651";
const entry = (amount: string, card?: string, changes: Partial<QueueEntry> = {}): QueueEntry => ({
  id: crypto.randomUUID(),
  supplierDid: "did:x:s",
  voucherId: "VCHR-1",
  productId: "P",
  productName: "Stove",
  amount,
  body: JSON.stringify(card === undefined ? {} : { consent: { type: "pin", card, pin: "7359" } }),
  signed: false,
  createdAt: 0,
  state: "waiting",
  tries: 0,
  ...changes,
});
const limits = { perCard: 100_000_000n, perDevice: 150_000_000n };

describe("what a till accepts without a network", () => {
  it("counts a card's pending orders, however its code was given", () => {
    const entries = [entry("30", cardCode(cardId)), entry("20.5", cardQrText(cardId)), entry("40")];
    expect(entries.map(spenderOf)).toEqual([cardId, cardId, "VCHR-1"]);
    expect(leftOffline(limits, entries, cardId)).toEqual({ left: 49_500_000n, which: "perCard" });
    expect(leftOffline(limits, entries, "VCHR-2")).toEqual({ left: 59_500_000n, which: "perDevice" });
  });

  it("does not count what was answered, and is never less than nothing", () => {
    const answered = [entry("90", cardId, { state: "settled" }), entry("90", cardId, { state: "refused" })];
    expect(leftOffline(limits, answered, cardId)).toEqual({ left: 100_000_000n, which: "perCard" });
    expect(leftOffline(limits, [entry("90", cardId), entry("90")], cardId).left).toBe(0n);
  });

  it("is without the service when there is no network, or an order was sent in vain", () => {
    expect(isOffline(false, [])).toBe(true);
    expect(isOffline(true, [entry("1")])).toBe(false);
    expect(isOffline(true, [entry("1", undefined, { tries: 1 })])).toBe(true);
    expect(isOffline(true, [entry("1", undefined, { tries: 1, operationId: "OP" })])).toBe(false);
  });
});
