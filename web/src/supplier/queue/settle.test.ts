import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HearthError } from "../../../../wire/src/errors.ts";
import { type QueueEntry, tryAgain } from "./entry.ts";
import { settleQueue } from "./settle.ts";

const entry = (id: string, changes: Partial<QueueEntry> = {}): QueueEntry => ({
  id,
  supplierDid: "did:x:s",
  voucherId: "VCHR-1",
  productId: "P",
  productName: "Stove",
  amount: "5",
  body: `{"order":"${id}"}`,
  signed: false,
  createdAt: 0,
  state: "waiting",
  tries: 0,
  ...changes,
});

afterEach(() => vi.unstubAllGlobals());

let kept: Map<string, QueueEntry>;
let sent: { path: string; body: unknown; key: string | undefined }[];
beforeEach(() => {
  kept = new Map();
  sent = [];
});

/** Settle with these answers of the server, in order; an error without a status is a lost answer. */
function settle(answers: (object | HearthError)[], keyId = "KEY-1") {
  vi.stubGlobal("fetch", async (request: Request) => {
    const body = await request.text();
    const key = request.headers.get("idempotency-key") ?? undefined;
    sent.push({ path: new URL(request.url).pathname, body, key });
    const answer = answers.shift();
    if (!(answer instanceof HearthError)) return Response.json(answer, { status: answer === submitted ? 202 : 200 });
    const { status, code, message, details } = answer;
    if (status === 0) throw new TypeError("Failed to fetch");
    return Response.json({ code, message, details }, { status });
  });
  return settleQueue({
    read: async () => [...kept.values()],
    write: async (changed) => void kept.set(changed.id, changed),
    ...{ supplierDid: "did:x:s", keyId },
    now: () => 1,
  });
}

const submitted = { operationId: "OPER-1", url: "/v1/operations/OPER-1", status: "submitted", transactionHash: "0x1" };
const done = { redemptionId: "REDM-1", transactionHash: "0x1", remainingBalance: "94.5" };
const put = (...entries: QueueEntry[]) => entries.forEach((each) => void kept.set(each.id, each));

describe("sending waiting orders", () => {
  it("sends the authorised bytes unchanged, with the order's own Idempotency-Key", async () => {
    put(entry("a"));
    await settle([done]);
    expect(sent).toEqual([{ path: "/v1/vouchers/redeem", body: '{"order":"a"}', key: "a" }]);
    expect(kept.get("a")).toMatchObject({ state: "settled", redemptionId: "REDM-1", remainingBalance: "94.5" });
  });

  it("does not send settled or refused orders again", async () => {
    put(entry("a", { state: "settled" }), entry("b", { state: "refused" }), entry("c", { state: "unsure" }));
    await settle([]);
    expect(sent).toEqual([]);
  });

  it("continues after a refused order, and stops without a network", async () => {
    put(entry("a"), entry("b"), entry("c"));
    const offline = new HearthError({ status: 0, code: "OFFLINE", message: "" });
    await settle([new HearthError({ status: 400, code: "RULE_VIOLATION", message: "No." }), offline]);
    expect([...kept.values()].map(({ state, tries }) => [state, tries])).toEqual([
      ["refused", 1],
      ["waiting", 1],
      ["waiting", 0],
    ]);
  });

  const operation = (status: string, more: object = {}) => ({ id: "OPER-1", status, ...more });

  it("polls the operation of an order whose block is late, and sends the order once", async () => {
    put(entry("a"));
    await settle([submitted]);
    expect(kept.get("a")).toMatchObject({ state: "waiting", operationId: "OPER-1" });
    await settle([operation("running")]);
    expect(kept.get("a")?.state).toBe("waiting");
    await settle([operation("succeeded", { result: done })]);
    expect(kept.get("a")).toMatchObject({ state: "settled", redemptionId: "REDM-1", remainingBalance: "94.5" });
    expect(sent.map(({ path }) => path)).toEqual([
      "/v1/vouchers/redeem",
      "/v1/operations/OPER-1",
      "/v1/operations/OPER-1",
    ]);
  });

  it("is refused by the contract's late result, and gets a new Idempotency-Key when the user resends it", async () => {
    put(entry("a"));
    const details = [{ path: "amount", rule: "amount-within-balance", message: "Too much." }];
    const error = { code: "RULE_VIOLATION", message: "No.", details };
    await settle([submitted]);
    await settle([operation("failed", { error })]);
    expect(kept.get("a")).toMatchObject({ state: "refused", problem: { details } });
    put(tryAgain(kept.get("a") as QueueEntry));
    await settle([done]);
    expect(kept.get("a")?.state).toBe("settled");
    expect(sent.at(-1)?.key).not.toBe("a");
    expect(sent.at(-1)?.path).toBe("/v1/vouchers/redeem");
  });

  it("waits for the user when the server has lost an accepted order", async () => {
    put(entry("a", { operationId: "OPER-1" }));
    await settle([operation("failed", { error: { code: "INTERNAL", message: "Something went wrong." } })]);
    expect(kept.get("a")).toMatchObject({ state: "unsure", problem: { code: "INTERNAL" } });
  });

  it("resends a signed order when its operation is unknown, and asks the user about an unsigned one", async () => {
    const unknown = () => new HearthError({ status: 404, code: "NOT_FOUND", message: "There is no operation OPER-1." });
    put(entry("a", { operationId: "OPER-1", signed: true }), entry("b", { operationId: "OPER-2" }));
    await settle([unknown(), done, unknown()]);
    expect([...kept.values()].map(({ state }) => state)).toEqual(["settled", "unsure"]);
  });

  it("never sends an unsigned order automatically with another API key, because the server would treat it as a new order", async () => {
    put(entry("a"), entry("b", { signed: true }));
    await settle([new HearthError({ status: 502, code: "UPSTREAM", message: "" }), done]);
    put({ ...(kept.get("b") as QueueEntry), state: "waiting" });
    await settle([done], "KEY-2");
    expect([...kept.values()].map(({ state }) => state)).toEqual(["unsure", "settled"]);
    expect(sent.map(({ key }) => key)).toEqual(["a", "b", "b"]);
  });

  it("leaves another supplier's orders alone", async () => {
    put(entry("a", { supplierDid: "did:x:other" }));
    await settle([]);
    expect(sent).toEqual([]);
  });
});
