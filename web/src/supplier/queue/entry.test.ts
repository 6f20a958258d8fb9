import { describe, expect, it } from "vitest";
import { HearthError } from "../../../../wire/src/errors.ts";
import { afterSending, beforeSending, isDue, type QueueEntry, tryAgain } from "./entry.ts";

const day = 24 * 3_600_000;
const entry: QueueEntry = {
  id: "a",
  supplierDid: "did:x:s",
  voucherId: "VCHR-1",
  productId: "P",
  productName: "Stove",
  amount: "5",
  body: "{}",
  signed: false,
  createdAt: 0,
  state: "waiting",
  tries: 0,
};
const refusal = (status: number, details: { path: string; rule: string; message: string }[] = []) =>
  new HearthError({ status, code: "X", message: "No.", details });

describe("a waiting order", () => {
  it("keeps the time of its first attempt", () => {
    const once = beforeSending(entry, 100, "KEY-1");
    expect(beforeSending(once, 200, "KEY-1")).toMatchObject({ tries: 2, firstTriedAt: 100, state: "waiting" });
  });

  it("is settled with its redemption, and forgets an earlier error", () => {
    const failed = afterSending(entry, { kind: "failed", error: refusal(503) });
    const settled = afterSending(failed, {
      kind: "settled",
      redemptionId: "REDM-1",
      transactionHash: "0x1",
      remainingBalance: "95",
    });
    expect(settled).toMatchObject({ state: "settled", redemptionId: "REDM-1", remainingBalance: "95" });
    expect(settled.problem).toBeUndefined();
  });

  it.each([0, 401, 408, 429, 500, 503])("keeps waiting after %i, which says nothing about the order", (status) => {
    expect(isDue(afterSending(entry, { kind: "failed", error: refusal(status) }))).toBe(true);
  });

  it("keeps waiting while its first attempt still runs on the server", () => {
    const error = new HearthError({ status: 409, code: "IDEMPOTENCY_IN_PROGRESS", message: "It still runs." });
    expect(isDue(afterSending(entry, { kind: "failed", error }))).toBe(true);
  });

  it.each([400, 403, 404, 409])("is refused after %i, with every broken rule", (status) => {
    const details = [
      { path: "amount", rule: "amount-within-balance", message: "Too much." },
      { path: "productId", rule: "product-approved", message: "Not approved." },
    ];
    const refused = afterSending(entry, { kind: "failed", error: refusal(status, details) });
    expect(refused).toMatchObject({ state: "refused", problem: { details } });
    expect(isDue(refused)).toBe(false);
    expect(isDue(tryAgain(refused))).toBe(true);
  });

  it("is settled when the household's authorisation was used before the answer was lost", () => {
    const message = "The household's authorisation was used for redemption REDM-00000000010000000001Q.";
    const details = [{ path: "householdAuthorization.nonce", rule: "authorization-unused", message }];
    const settled = afterSending({ ...entry, signed: true }, { kind: "failed", error: refusal(409, details) });
    expect(settled).toMatchObject({ state: "settled", redemptionId: "REDM-00000000010000000001Q" });
  });

  it("is refused when its code was used before, or to be checked when its own first answer was lost", () => {
    const details = [{ path: "consent.nonce", rule: "code-unused", message: "This code was used." }];
    const failed = { kind: "failed", error: refusal(409, details) } as const;
    expect(afterSending({ ...entry, tries: 1 }, failed).state).toBe("refused");
    expect(afterSending({ ...entry, tries: 2 }, failed)).toMatchObject({ state: "unsure", problem: { details } });
  });

  it("is not sent again automatically when the server may have forgotten its first attempt", () => {
    const tried = beforeSending(entry, 0, "KEY-1");
    expect(beforeSending(tried, 5 * day, "KEY-1").state).toBe("waiting");
    expect(beforeSending(tried, 6.1 * day, "KEY-1").state).toBe("unsure");
    expect(beforeSending({ ...tried, signed: true }, 60 * day, "KEY-1").state).toBe("waiting");
  });
});

describe("an order with a PIN", () => {
  const body = '{"voucherId":"VCHR-1","consent":{"type":"pin","card":"123","pin":"7359"},"amount":5}';
  const withPin = { ...entry, body };

  it("keeps the PIN while it waits, and forgets it once it is decided", () => {
    expect(afterSending(withPin, { kind: "failed", error: refusal(503) }).body).toBe(body);
    expect(afterSending(withPin, { kind: "pending", operationId: "OP" }).body).toBe(body);
    const refused = afterSending(withPin, { kind: "failed", error: refusal(400) });
    expect(refused.body).toBe('{"voucherId":"VCHR-1","consent":{"type":"pin","card":"123"},"amount":5}');
    const [redemptionId, transactionHash] = ["REDM-1", "0x1"];
    const settled = afterSending(withPin, { kind: "settled", redemptionId, transactionHash, remainingBalance: "0" });
    expect(settled.body).not.toContain("7359");
  });
});
