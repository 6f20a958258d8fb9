import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { hearth } from "./client.ts";
import { settled } from "./settled.ts";

const submitted = { operationId: "OPER-1", url: "/v1/operations/OPER-1", status: "submitted", transactionHash: "0x1" };
const progress = { done: 0, total: 1, failed: 0 };
const operation = (status: string, more: object = {}) => ({ id: "OPER-1", status, progress, ...more });

describe("a write whose block is mined late", () => {
  let asked: string[];
  beforeEach(() => {
    asked = [];
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
  /** The server's answers, in order. */
  const answerWith = (...answers: [number, object][]) => {
    vi.stubGlobal("fetch", async ({ method, url }: Request) => {
      asked.push(`${method} ${new URL(url).pathname}`);
      const [status, body] = answers.shift() ?? [500, {}];
      return Response.json(body, { status });
    });
  };
  const write = async () => {
    const settling = settled<unknown>(
      () => hearth.post("/v1/pool/swap", { json: "{}" }),
      ({ swapId }) => ({ id: swapId }),
    );
    const outcome = settling.catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(10_000);
    return outcome;
  };

  it("returns immediately when the block was mined in time", async () => {
    answerWith([201, { id: "SWAP-1" }]);
    expect(await write()).toEqual({ id: "SWAP-1" });
    expect(asked).toEqual(["POST /v1/pool/swap"]);
  });

  it("polls the operation to its end despite lost answers, and sends the write once", async () => {
    const result = { transactionHash: "0x1", blockNumber: 7, swapId: "SWAP-1" };
    answerWith([202, submitted], [503, {}], [200, operation("running")], [200, operation("succeeded", { result })]);
    expect(await write()).toEqual({ id: "SWAP-1" });
    expect(asked.slice(1)).toEqual(Array(3).fill("GET /v1/operations/OPER-1"));
  });

  it("throws the contract's late refusal with its rules", async () => {
    const details = [{ path: "minOut", rule: "min-out", message: "Too little." }];
    const error = { code: "RULE_VIOLATION", message: "No.", details };
    answerWith([202, submitted], [200, operation("failed", { error })]);
    expect(await write()).toMatchObject({ code: "RULE_VIOLATION", message: "No.", details });
  });
});
