import { act, waitFor } from "@testing-library/react";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { ChatStatus } from "../../src/index.ts";
import { acts, openChat, order, type Visitor, visit } from "../visitor.tsx";

describe("useChat", () => {
  let visitor: Visitor;
  beforeAll(async () => {
    visitor = await visit();
  });
  const open = async (more: Parameters<typeof openChat>[2] = {}) => {
    const sessionId = await visitor.session();
    const { result, unmount } = openChat(visitor, sessionId, more);
    await waitFor(() => expect(result.current.isLoading).toBe(false));
    return { sessionId, chat: result, unmount };
  };
  const slow = (words: number, delayMs = 20) =>
    acts([{ text: Array.from({ length: words }, (_, i) => `${i} `), delayMs }]);
  const numbers = (words: number) => Array.from({ length: words }, (_, i) => `${i} `).join("");

  it("starts as ready, with an empty thread", async () => {
    const { chat } = await open();
    const { messages, status, isSending, isConfigReady, error, sendMessageError } = chat.current;
    expect({ messages, status, isSending, isConfigReady, error, sendMessageError }).toEqual({
      messages: [],
      status: "ready",
      isSending: false,
      isConfigReady: true,
      error: undefined,
      sendMessageError: undefined,
    });
  });

  it("streams an answer: submitted, streaming, ready, and then the messages of the history", async () => {
    const sessionId = await visitor.session();
    const { result } = openChat(visitor, sessionId);
    await waitFor(() => expect(result.current.isLoading).toBe(false));
    const statuses = new Set<ChatStatus>();
    const lengths = new Set<number>();
    act(() => void result.current.sendMessage(slow(30)));
    expect(result.current.status).toBe("submitted");
    expect(result.current.isSending).toBe(true);
    expect(result.current.messages.map(({ type }) => type)).toEqual(["human"]);
    await waitFor(
      () => {
        statuses.add(result.current.status);
        const content = result.current.messages[1]?.content;
        if (typeof content === "string") lengths.add(content.length);
        expect(result.current.status).toBe("ready");
      },
      { interval: 5 },
    );
    expect([...statuses]).toContain("streaming");
    expect(lengths.size).toBeGreaterThan(3);
    expect(result.current.messages[1]?.content).toBe(numbers(30));
    const history = (await (await visitor.ask("GET", `/messages/${sessionId}`)).json()) as { messages: object[] };
    await waitFor(() => expect(result.current.messages).toEqual(history.messages));
  });

  it("ends an answer at abort(), and keeps the text so far", async () => {
    const { chat } = await open();
    act(() => void chat.current.sendMessage(slow(500)));
    await waitFor(() => expect(String(chat.current.messages[1]?.content)).toContain("5 "), { interval: 5 });
    await act(() => chat.current.abortStream());
    expect(chat.current.status).toBe("ready");
    await waitFor(() => expect(chat.current.messages[1]?.isComplete).toBe(false));
    const said = String(chat.current.messages[1]?.content);
    expect(numbers(500).startsWith(said)).toBe(true);
    await waitFor(() => expect(chat.current.messages[1]?.id).not.toMatch(/^answer-/));
    expect(chat.current.messages[1]?.content).toBe(said);
    await act(() => chat.current.sendMessage("and now?"));
    expect(chat.current.messages.map(({ type }) => type)).toEqual(["human", "ai", "human", "ai"]);
  });

  it("loses and repeats no text when connections break", async () => {
    const { chat } = await open();
    act(() => void chat.current.sendMessage(slow(100)));
    for (const wanted of ["5 ", "30 ", "60 "]) {
      await waitFor(() => expect(String(chat.current.messages[1]?.content)).toContain(wanted), {
        interval: 5,
      });
      await order("cut");
    }
    await waitFor(() => expect(chat.current.status).toBe("ready"));
    expect(chat.current.messages[1]?.content).toBe(numbers(100));
    expect(chat.current.sendMessageError).toBeUndefined();
  });

  it("follows a running turn after opening, and ends it at abort()", async () => {
    const { sessionId, chat, unmount } = await open();
    act(() => void chat.current.sendMessage(slow(300)));
    await waitFor(() => expect(String(chat.current.messages[1]?.content)).toContain("9 "), { interval: 5 });
    unmount();
    const { result } = openChat(visitor, sessionId);
    await waitFor(() => expect(String(result.current.messages[1]?.content)).toContain("20 "));
    expect(result.current.messages.map(({ type }) => type)).toEqual(["human", "ai"]);
    await act(() => result.current.abortStream());
    await waitFor(() => expect(result.current.messages[1]?.isComplete).toBe(false));
    expect(numbers(300).startsWith(String(result.current.messages[1]?.content))).toBe(true);
  });

  it("shows the same turn in two tabs of one session", async () => {
    const { sessionId, chat } = await open();
    const { result: other } = openChat(visitor, sessionId);
    await waitFor(() => expect(other.current.isRealTimeConnected).toBe(true));
    act(() => void chat.current.sendMessage(slow(60)));
    await waitFor(() => expect(other.current.status).toBe("streaming"));
    await waitFor(() => expect(other.current.messages[1]?.content).toBe(numbers(60)));
    await waitFor(() => expect(other.current.messages).toEqual(chat.current.messages));
    expect(other.current.messages).toHaveLength(2);
  });

  it("asks for payment with the claims' ids, and keeps the message for another attempt", async () => {
    const claims: string[][] = [];
    const { chat } = await open({ onPaymentRequiredError: (claimIds) => claims.push(claimIds) });
    await order("owe", { did: visitor.did, owes: true });
    const sent = vi.spyOn(globalThis, "fetch");
    await act(() => chat.current.sendMessage("hello"));
    expect(claims).toEqual([["CLM-1", "CLM-2"]]);
    expect(chat.current).toMatchObject({ status: "ready", isSending: false });
    expect(chat.current.sendMessageError).toBeUndefined();
    expect(chat.current.messages).toMatchObject([{ type: "human", content: "hello", sendError: { status: 402 } }]);
    await order("owe", { did: visitor.did, owes: false });
    await act(() => chat.current.sendMessage("hello"));
    await waitFor(() => expect(chat.current.messages.map(({ type }) => type)).toEqual(["human", "ai"]));
    expect(chat.current.sendMessageError).toBeUndefined();
    // It is the same message, so it is charged once.
    const bodies = sent.mock.calls.map(([, init]) => JSON.parse(String(init?.body ?? "{}")) as { requestId?: string });
    const ids = bodies.flatMap(({ requestId }) => requestId ?? []);
    expect(ids).toEqual([ids[0], ids[0]]);
    sent.mockRestore();
  });

  it("reports why an answer failed, and adds no error text to the thread", async () => {
    const { chat } = await open();
    await act(() => chat.current.sendMessage(acts([{ status: 400, body: { error: { message: "no" } } }])));
    expect(chat.current.status).toBe("error");
    const why = chat.current.sendMessageError?.message;
    expect(why).toMatch(/language model did not answer/);
    expect(JSON.stringify(chat.current.messages)).not.toContain(why);
  });

  it("reports an error for a session that does not exist", async () => {
    const { result } = openChat(visitor, "$nobody:s");
    await waitFor(() => expect(result.current.error).toMatchObject({ name: "ApiError", status: 404 }));
    expect(result.current.isLoading).toBe(false);
  });
});
