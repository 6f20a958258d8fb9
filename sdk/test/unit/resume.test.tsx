import { act, renderHook, waitFor } from "@testing-library/react";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { z } from "zod";
import { Connections, currentRun, followRun, postMessage, type RunEvent, useChat } from "../../src/index.ts";
import { acts, openChat, order, type Visitor, visit, within } from "../visitor.tsx";

type Fetch = typeof globalThis.fetch;

/** Replace `fetch` to disturb the connection to the oracle. */
function onTheWire(change: (fetch: Fetch, ...given: Parameters<Fetch>) => Promise<Response>): void {
  const real = globalThis.fetch.bind(globalThis);
  vi.stubGlobal("fetch", ((...given) => change(real, ...given)) satisfies Fetch);
}

/** Drop one frame of an event stream. */
function withoutFrame(response: Response, lost: number): Response {
  let text = "";
  const drop = new TransformStream<string, string>({
    transform: (chunk) => {
      text += chunk;
    },
    flush: (out) => out.enqueue(text.replace(new RegExp(`event: \\w+\\nid: ${lost}\\n.*\\n\\n`), "")),
  });
  const body = response.body
    ?.pipeThrough(new TextDecoderStream())
    .pipeThrough(drop)
    .pipeThrough(new TextEncoderStream());
  return new Response(body ?? null, { headers: response.headers });
}

describe("a turn over a bad connection", () => {
  let visitor: Visitor;
  beforeAll(async () => {
    visitor = await visit();
  });
  afterEach(() => void vi.unstubAllGlobals());

  const clientOf = ({ did, props, oracleDid, overrides }: Visitor) =>
    new Connections({ ...props, userDid: did }).clientOf(oracleDid, overrides.baseUrl);
  const words = (count: number, delayMs = 10) =>
    acts([{ text: Array.from({ length: count }, (_, i) => `${i} `), delayMs }]);
  const textOf = (events: RunEvent[]) =>
    events.map(({ event, data }) => (event === "message" ? data.content : "")).join("");
  const whole = (count: number) => Array.from({ length: count }, (_, i) => `${i} `).join("");

  it("is read again when its end shows that a frame is missing", async () => {
    const client = clientOf(visitor);
    const sessionId = await visitor.session();
    const { signal } = new AbortController();
    const message = { message: words(20), requestId: crypto.randomUUID() };
    const response = await postMessage(client, sessionId, message, { signal });
    let events: RunEvent[] = [];
    let restarts = 0;
    const done = await followRun({
      client,
      signal,
      runId: response.headers.get("x-run-id") ?? "",
      response: withoutFrame(response, 5),
      onEvent: (event) => void events.push(event),
      onRestart: () => {
        restarts += 1;
        events = [];
      },
    });
    expect(restarts).toBe(1);
    expect(textOf(events)).toBe(whole(20));
    expect(done).toMatchObject({ status: "finished", count: events.length });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, i) => i + 1));
  });

  it("starts once, even if the answer to its message is lost", async () => {
    const sessionId = await visitor.session();
    let posts = 0;
    onTheWire(async (fetch, ...given) => {
      const response = await fetch(...given);
      if (given[1]?.method !== "POST" || !String(given[0]).includes("/messages/")) return response;
      posts += 1;
      if (posts > 1) return response;
      await response.body?.cancel();
      throw new TypeError("Failed to fetch");
    });
    const { result } = openChat(visitor, sessionId);
    await waitFor(() => expect(result.current.isLoading).toBe(false));
    await act(() => result.current.sendMessage(words(30)));
    await waitFor(() => expect(result.current.messages[1]?.content).toBe(whole(30)));
    expect(posts).toBe(2);
    expect(result.current.messages).toHaveLength(2);
    expect(result.current.sendMessageError).toBeUndefined();
  });

  it("starts once, and only when the device is online again; until then its message can be withdrawn", async () => {
    let posts = 0;
    onTheWire(async (fetch, ...given) => {
      if (given[1]?.method === "POST" && String(given[0]).includes("/messages/")) posts += 1;
      return await fetch(...given);
    });
    const { result } = openChat(visitor, await visitor.session());
    await waitFor(() => expect(result.current.isLoading).toBe(false));
    const network = vi.spyOn(navigator, "onLine", "get").mockReturnValue(false);
    act(() => void result.current.sendMessage("taken back"));
    expect(result.current.messages).toMatchObject([{ content: "taken back" }]);
    await act(() => result.current.abortStream());
    await waitFor(() => expect(result.current.sendMessageError?.message).toMatch(/stopped before it was sent/));
    act(() => void result.current.sendMessage("kept"));
    // Longer than the first retries of a failed request take.
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect([result.current.status, posts]).toEqual(["submitted", 0]);
    network.mockReturnValue(true);
    act(() => void window.dispatchEvent(new Event("online")));
    await waitFor(() => expect(result.current.messages.at(-1)?.content).toBe("You said: kept"));
    expect(posts).toBe(1);
    expect(result.current.messages.map(({ type }) => type)).toEqual(["human", "ai"]);
    network.mockRestore();
  });

  it("is resumed immediately when the page wakes", async () => {
    const sessionId = await visitor.session();
    let isAsleep = false;
    onTheWire(async (fetch, ...given) => {
      const response = await fetch(...given);
      if (!String(given[0]).includes("/messages/") || given[1]?.method !== "POST") return response;
      // The connection goes silent without closing.
      const dies = new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, out) => void (isAsleep || out.enqueue(chunk)),
        flush: () => new Promise(() => {}),
      });
      return new Response(response.body?.pipeThrough(dies) ?? null, { headers: response.headers });
    });
    const { result } = openChat(visitor, sessionId);
    await waitFor(() => expect(result.current.isLoading).toBe(false));
    act(() => void result.current.sendMessage(words(60, 20)));
    await waitFor(() => expect(String(result.current.messages[1]?.content)).toContain("9 "), { interval: 5 });
    isAsleep = true;
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(result.current.status).toBe("streaming");
    act(() => void window.dispatchEvent(new Event("online")));
    await waitFor(() => expect(result.current.status).toBe("ready"));
    expect(result.current.messages[1]?.content).toBe(whole(60));
  });

  it("runs a call that was open at a reload again only if it is read-only", async () => {
    const ran: string[] = [];
    const tool = (toolName: string, effect?: "read") => ({
      toolName,
      description: "Looks.",
      schema: z.object({}),
      ...(effect ? { effect } : {}),
      fn: async () => {
        ran.push(toolName);
        return "seen";
      },
    });
    const browserTools = { peek: tool("peek", "read"), push: tool("push") };
    const call = (name: string) => ({ calls: [{ name, args: {} }] });
    const load = { calls: [{ name: "load_capability", args: { names: ["portal"] } }] };
    for (const name of ["peek", "push"]) {
      const sessionId = await visitor.session();
      // The page is gone before the socket delivers the call.
      const client = clientOf(visitor);
      const declared = { name, description: "Looks.", schema: { type: "object" } };
      const body = {
        message: acts([load], [call(name)], [{ text: "." }]),
        requestId: crypto.randomUUID(),
        tools: [declared],
      };
      const gone = new AbortController();
      await postMessage(client, sessionId, body, { signal: gone.signal });
      gone.abort();
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(await currentRun(client, sessionId)).not.toBeNull();
      const { unmount } = openChat(visitor, sessionId, { browserTools });
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      unmount();
      await visitor.ask("POST", "/messages/abort", { sessionId });
    }
    expect(ran).toEqual(["peek"]);
  });

  it("renews tokens that expire during a session", async () => {
    // The oracle refuses an expired token that the app takes for valid.
    const mint = async (seconds: number) => {
      const token = await order<{ serialized: string }>("mint", { did: own.did, seconds });
      return { ...token, expiresAt: Date.now() + 3_600_000 };
    };
    let minted = 0;
    const createInvocation = async () => {
      minted += 1;
      return await mint(minted === 1 ? 2 : 600);
    };
    const own = await visit({ createInvocation });
    const sessionId = await own.session();
    const { oracleDid, overrides } = own;
    const options = { oracleDid, overrides, sessionId, onPaymentRequiredError: () => {} };
    const { result } = renderHook(() => useChat(options), { wrapper: within(own.props) });
    await waitFor(() => expect(result.current.isLoading).toBe(false));
    await new Promise((resolve) => setTimeout(resolve, 3_500));
    await act(() => result.current.sendMessage("still here?"));
    expect(result.current.sendMessageError).toBeUndefined();
    expect(minted).toBe(2);
    await order("cut");
    await waitFor(() => expect(result.current.isRealTimeConnected).toBe(true));
  });
});
