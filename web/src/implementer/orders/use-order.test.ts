// @vitest-environment jsdom
import { QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook, waitFor } from "@testing-library/react";
import { createElement, type PropsWithChildren } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { signedOrder, useOrder } from "./use-order.ts";

/** The API's answers in order; a name is a lost answer. */
type Answer = [status: number, code?: string] | "lost";
const sent: { key: string | null; text: unknown }[] = [];

function answerWith(...answers: Answer[]): void {
  vi.stubGlobal("fetch", async (request: Request) => {
    sent.push({ key: request.headers.get("idempotency-key"), text: await request.text() });
    const answer = answers.shift() ?? [200];
    if (answer === "lost") throw new TypeError("gone");
    const [status, code] = answer;
    return Response.json(status < 300 ? { id: "SWAP-1" } : { status, code, message: "No." }, { status });
  });
}

const wrapper = ({ children }: PropsWithChildren) =>
  createElement(QueryClientProvider, { client: queryClient }, children);
const onDone = vi.fn();
let signed = 0;
const sign = async () => signedOrder({ amountIn: 5 }, `order-${++signed}`);

function openPage() {
  const { result, unmount } = renderHook(
    () =>
      useOrder<unknown>({
        name: "swap did:x:1",
        send: (options) => hearth.post("/v1/pool/swap", options),
        readLate: async () => undefined,
        onDone,
      }),
    { wrapper },
  );
  const settle = async (press: () => void) => {
    const before = sent.length;
    act(press);
    await waitFor(() => expect(sent.length).toBe(before + 1));
    await waitFor(() => expect(result.current.isPending).toBe(false));
  };
  return {
    order: () => result.current,
    send: () => settle(() => result.current.send(sign)),
    sendAgain: () => settle(() => void result.current.sendAgain()),
    leave: unmount,
  };
}

describe("an order", () => {
  beforeEach(() => {
    sessionStorage.clear();
    sent.length = 0;
    signed = 0;
    onDone.mockClear();
  });
  afterEach(() => vi.unstubAllGlobals());

  it("is resent unchanged while its result is unknown, also when the user signs another one", async () => {
    const lost: Answer[] = ["lost", [502], [504], [429], [401], [409, "IDEMPOTENCY_IN_PROGRESS"]];
    answerWith(...lost);
    const { order, send, sendAgain } = openPage();
    await send();
    expect(order().open?.idempotencyKey).toBe("order-1");
    for (const _ of lost.slice(1)) await send();
    await sendAgain();
    expect(new Set(sent.map(({ key }) => key))).toEqual(new Set(["order-1"]));
    expect(new Set(sent.map(({ text }) => text))).toEqual(new Set(['{"amountIn":5}']));
    expect(order().open).toBeUndefined();
    expect(onDone).toHaveBeenCalledOnce();
  });

  it("is still open after a reload", async () => {
    answerWith("lost");
    const first = openPage();
    await first.send();
    first.leave();
    const { order, sendAgain } = openPage();
    expect(order().open?.idempotencyKey).toBe("order-1");
    await sendAgain();
    expect(sent.map(({ key }) => key)).toEqual(["order-1", "order-1"]);
    expect(order().open).toBeUndefined();
  });

  it("is open when the page closed before any answer", async () => {
    vi.stubGlobal("fetch", () => new Promise(() => sent.push({ key: null, text: null })));
    const first = openPage();
    act(() => first.order().send(sign));
    await waitFor(() => expect(sent.length).toBe(1));
    first.leave();
    expect(openPage().order().open?.idempotencyKey).toBe("order-1");
  });

  it("is deleted once a transaction has cancelled it, also after a reload, and its error with it", async () => {
    answerWith("lost", [200]);
    const first = openPage();
    await first.send();
    act(() => first.order().onCancelled("0x1"));
    await waitFor(() => expect(first.order().error).toBeNull());
    expect([first.order().open, first.order().cancelledBy]).toEqual([undefined, "0x1"]);
    first.leave();
    const { order, send } = openPage();
    expect(order().open).toBeUndefined();
    await send();
    expect(sent.map(({ key }) => key)).toEqual(["order-1", "order-2"]);
    expect(order().cancelledBy).toBeUndefined();
  });

  it("is signed again after a refusal and after success", async () => {
    answerWith([400, "RULE_VIOLATION"], [200], [200]);
    const { order, send } = openPage();
    for (const _ of [1, 2, 3]) await send();
    expect(sent.map(({ key }) => key)).toEqual(["order-1", "order-2", "order-3"]);
    expect(order().open).toBeUndefined();
  });
});
