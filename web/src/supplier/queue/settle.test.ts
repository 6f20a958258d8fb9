import { beforeEach, describe, expect, it } from "vitest";
import { ApiError } from "../../api/error.ts";
import type { QueueEntry } from "./entry.ts";
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

let kept: Map<string, QueueEntry>;
let sent: { body: unknown; key: string | undefined }[];
beforeEach(() => {
  kept = new Map();
  sent = [];
});

function settle(answers: (unknown | Error)[]) {
  return settleQueue({
    read: async () => [...kept.values()],
    write: async (changed) => void kept.set(changed.id, changed),
    supplierDid: "did:x:s",
    now: () => 1,
    send: async <T>(_method: string, _path: string, options: { body?: unknown; idempotencyKey?: string }) => {
      sent.push({ body: options.body, key: options.idempotencyKey });
      const answer = answers.shift();
      if (answer instanceof Error) throw answer;
      return answer as T;
    },
  });
}

const done = { redemptionId: "REDM-1", transactionHash: "0x1", remainingBalance: "94.5" };
const put = (...entries: QueueEntry[]) => entries.forEach((each) => void kept.set(each.id, each));

describe("settling what waits", () => {
  it("sends the very bytes that were authorised, under the order's own key", async () => {
    put(entry("a"));
    await settle([done]);
    expect(sent).toEqual([{ body: '{"order":"a"}', key: "a" }]);
    expect(kept.get("a")).toMatchObject({ state: "settled", redemptionId: "REDM-1", remainingBalance: "94.5" });
  });

  it("sends nothing twice that is settled or refused", async () => {
    put(entry("a", { state: "settled" }), entry("b", { state: "refused" }), entry("c", { state: "unsure" }));
    await settle([]);
    expect(sent).toEqual([]);
  });

  it("goes on behind a refusal, and stops where there is no network", async () => {
    put(entry("a"), entry("b"), entry("c"));
    const offline = new ApiError({ status: 0, code: "OFFLINE", message: "" });
    await settle([new ApiError({ status: 400, code: "RULE_VIOLATION", message: "No." }), offline]);
    expect([...kept.values()].map(({ state, tries }) => [state, tries])).toEqual([
      ["refused", 1],
      ["waiting", 1],
      ["waiting", 0],
    ]);
  });

  it("asks again for an order whose block was not there yet", async () => {
    put(entry("a"));
    await settle([{ status: "submitted" }]);
    expect(kept.get("a")?.state).toBe("waiting");
    await settle([done]);
    expect(kept.get("a")?.state).toBe("settled");
    expect(sent.map(({ key }) => key)).toEqual(["a", "a"]);
  });

  it("leaves another supplier's orders alone", async () => {
    put(entry("a", { supplierDid: "did:x:other" }));
    await settle([]);
    expect(sent).toEqual([]);
  });
});
