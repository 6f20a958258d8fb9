import { describe, expect, it } from "vitest";
import { ApiError } from "../api/error.ts";
import { type OpenOrder, type SignedOrder, sendOrder } from "./sign-order.ts";

describe("an order", () => {
  const refusal = (status: number, code = "X") => new ApiError({ status, code, message: "No." });
  /** Tries one after the other, with an answer each; tells which signed order went each time. */
  async function tryWith(...answers: (string | Error)[]) {
    return tryTerms(() => "5 t", ...answers);
  }
  async function tryTerms(termsOf: (time: number) => string, ...answers: (string | Error)[]) {
    const kept: OpenOrder = { current: undefined };
    let signed = 0;
    const sent: string[] = [];
    for (const [time, answer] of answers.entries()) {
      const sign = async () => ({ body: {}, idempotencyKey: `order-${++signed}` });
      const send = async ({ idempotencyKey }: SignedOrder) => {
        sent.push(idempotencyKey);
        if (answer instanceof Error) throw answer;
        return answer;
      };
      await sendOrder(kept, termsOf(time), sign, send).catch(() => undefined);
    }
    return sent;
  }

  it("goes again as it was signed when its answer was lost, so that it is carried out once", async () => {
    for (const lost of [refusal(0, "OFFLINE"), refusal(502), refusal(504), refusal(429), refusal(401)])
      expect(await tryWith(lost, lost, "done")).toEqual(["order-1", "order-1", "order-1"]);
    const running = refusal(409, "IDEMPOTENCY_IN_PROGRESS");
    expect(await tryWith(running, "done")).toEqual(["order-1", "order-1"]);
  });

  it("is never sent for other terms than those it was signed for", async () => {
    const terms = ["5 t", "6 t", "6 t"];
    const lost = refusal(0, "OFFLINE");
    expect(await tryTerms((time) => terms[time] ?? "", lost, lost, "done")).toEqual(["order-1", "order-2", "order-2"]);
  });

  it("is signed anew after a verdict, and after it was carried out", async () => {
    expect(await tryWith(refusal(400, "RULE_VIOLATION"), "done", "done")).toEqual(["order-1", "order-2", "order-3"]);
  });
});
