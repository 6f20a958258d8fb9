import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { HearthError } from "../../../../wire/src/errors.ts";
import { dropMeasurement, putMeasurement, sendMeasurement, sendOutbox, waitingMeasurements } from "./kpt-outbox.ts";

const measured = (householdId: string) =>
  putMeasurement({ campaignId: "KPT-1", householdId, testGroup: "reference", body: '{"total":3.30}' });

/** The server's answers, request by request. */
function answers(...given: (object | number)[]) {
  const requests: { key: string; body: string }[] = [];
  const send = async (request: Request) => {
    const next = given.shift() ?? 0;
    requests.push({ key: request.headers.get("idempotency-key") ?? "", body: await request.text() });
    if (next === 0) throw new TypeError("Failed to fetch");
    if (typeof next === "object") return Response.json(next, { status: 201 });
    const details = [{ path: "householdId", rule: "once", message: "It was measured." }];
    return Response.json({ code: "RULE_VIOLATION", message: "no", status: next, details }, { status: next });
  };
  vi.stubGlobal("fetch", send);
  return requests;
}

describe("unsent measurements", () => {
  beforeEach(() => {
    vi.stubGlobal("navigator", { locks: { request: (_name: string, work: () => unknown) => work() } });
  });
  afterEach(() => {
    for (const { id } of waitingMeasurements()) dropMeasurement(id);
    vi.unstubAllGlobals();
  });

  it("wait without a network, and are later sent under the same id with the same digits", async () => {
    const requests = answers(0, 0, { id: "KPT-A" }, { id: "KPT-B" });
    const first = measured("did:x:1");
    expect(await sendMeasurement(first)).toEqual({ kind: "waiting" });
    measured("did:x:2");
    expect(await sendOutbox()).toBe(0);
    expect(waitingMeasurements().map(({ householdId }) => householdId)).toEqual(["did:x:1", "did:x:2"]);
    expect(await sendOutbox()).toBe(2);
    expect(waitingMeasurements()).toEqual([]);
    expect(requests.slice(0, 3).map(({ key }) => key)).toEqual([first.id, first.id, first.id]);
    expect(requests[3]?.key).not.toBe(first.id);
    expect(requests[0]?.body).toBe('{"total":3.30}');
  });

  it("keep the reason for a refusal, and are not sent again automatically", async () => {
    const requests = answers(400, 503);
    const outcome = await sendMeasurement(measured("did:x:1"));
    expect(outcome.kind === "refused" && outcome.error).toBeInstanceOf(HearthError);
    expect(waitingMeasurements()[0]?.refused).toEqual(["It was measured."]);
    expect(await sendOutbox()).toBe(0);
    expect(requests).toHaveLength(1);
  });

  it("wait while the server has an error or the key has expired", async () => {
    answers(503, 401, 429);
    const waiting = measured("did:x:1");
    for (let i = 0; i < 3; i += 1) expect(await sendMeasurement(waiting)).toEqual({ kind: "waiting" });
    expect(waitingMeasurements()).toHaveLength(1);
  });

  it("are not sent when another tab has already filed them", async () => {
    const requests = answers({ id: "KPT-A" });
    const waiting = measured("did:x:1");
    dropMeasurement(waiting.id);
    expect(await sendMeasurement(waiting)).toEqual({ kind: "waiting" });
    expect(requests).toEqual([]);
  });
});
