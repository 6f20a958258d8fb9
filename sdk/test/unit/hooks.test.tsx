import { act, renderHook, waitFor } from "@testing-library/react";
import { beforeAll, describe, expect, it } from "vitest";
import { useChat, useMemoryEngine, useModels, useOracleSessions } from "../../src/index.ts";
import { order, type Visitor, visit, within } from "../visitor.tsx";

describe("hooks", () => {
  let visitor: Visitor;
  beforeAll(async () => {
    visitor = await visit();
  });
  const hook = <T,>(use: () => T, of = visitor) => renderHook(use, { wrapper: within(of.props) }).result;

  it("list, create and delete sessions, in every component that shows them", async () => {
    const own = await visit();
    const both = () => {
      const { oracleDid, overrides } = own;
      return [useOracleSessions(oracleDid, overrides), useOracleSessions(oracleDid, overrides)] as const;
    };
    const result = hook(both, own);
    expect(result.current[0].isLoading).toBe(true);
    await waitFor(() => expect(result.current[0].isLoading).toBe(false));
    expect(result.current[0].sessions).toEqual([]);
    const made = await act(() => result.current[0].createSession({ title: "Stoves" }));
    const last = await act(() => result.current[0].createSession());
    const ids = () => result.current[1].sessions?.map(({ sessionId }) => sessionId);
    expect(ids()).toEqual([last.sessionId, made.sessionId]);
    expect(result.current[1].sessions?.[1]).toMatchObject({ title: "Stoves", oracleDid: own.oracleDid });
    await act(() => result.current[1].deleteSession(last.sessionId));
    expect(ids()).toEqual([made.sessionId]);
    expect(result.current[0]).toMatchObject({ total: 1, hasMore: false, isCreatingSession: false });
    await act(() => expect(result.current[0].deleteSession("$none:x")).rejects.toMatchObject({ status: 404 }));
    expect(result.current[0].isDeleteSessionError).toBe(true);
  });

  it("list sessions page by page", async () => {
    const own = await visit();
    for (let i = 0; i < 23; i++) await own.session();
    const result = hook(() => useOracleSessions(own.oracleDid, own.overrides), own);
    await waitFor(() => expect(result.current.sessions).toHaveLength(20));
    expect(result.current).toMatchObject({ total: 23, hasMore: true });
    expect(result.current).toMatchObject({ hasNextPage: true, isFetchingNextPage: false, isConfigReady: true });
    await act(() => result.current.fetchNextPage());
    const ids = result.current.sessions?.map(({ sessionId }) => sessionId);
    expect(new Set(ids).size).toBe(23);
    expect(result.current.hasMore).toBe(false);
  });

  it("reject a failed read of sessions or messages when the app asks for that, and only then", async () => {
    const own = await visit({
      createDelegation: async () => ({ serialized: "none", expiresAt: Date.now() + 600_000 }),
    });
    const props = { ...own.props, createInvocation: undefined };
    const result = hook(
      () => ({
        list: useOracleSessions(own.oracleDid, own.overrides),
        chat: useChat({ ...own, sessionId: "$x", onPaymentRequiredError: () => {} }),
      }),
      { ...own, props },
    );
    await waitFor(() => expect([result.current.list.isLoading, result.current.chat.isLoading]).toEqual([false, false]));
    const { list, chat } = result.current;
    for (const read of [list.refetch, list.fetchNextPage, chat.refetchMessages]) {
      await act(() => expect(read({ throwOnError: true })).rejects.toMatchObject({ status: 401 }));
      await act(() => expect(read()).resolves.toBeUndefined());
    }
    expect(result.current.list.error).toMatchObject({ status: 401 });
  });

  it("read and write the oracle's memory", async () => {
    const result = hook(() => useMemoryEngine(visitor.oracleDid, visitor.overrides));
    await waitFor(() => expect(result.current.memories).toEqual([]));
    const fact = await act(() => result.current.remember("Works in Kafue"));
    expect(result.current.memories).toMatchObject([{ id: fact.id, text: "Works in Kafue" }]);
    await act(() => result.current.correct(fact.id, "Works in Lusaka"));
    expect((await result.current.search("where in Lusaka?")).map(({ text }) => text)).toEqual(["Works in Lusaka"]);
    await act(() => result.current.forget(fact.id));
    expect(result.current.memories).toEqual([]);
  });

  it("read the current oracle's memory when none is named", async () => {
    const result = hook(() => {
      useOracleSessions(visitor.oracleDid, visitor.overrides);
      return useMemoryEngine();
    });
    await waitFor(() => expect(result.current.memories).toEqual([]));
  });

  it("list models", async () => {
    const result = hook(() => useModels(visitor.oracleDid, visitor.overrides));
    await waitFor(() => expect(result.current.models).toMatchObject([{ id: "scripted", isDefault: true }]));
    expect(result.current).toMatchObject({ defaultModelId: "scripted", defaultModel: { id: "scripted" }, error: null });
  });

  it("send the oracle a new delegation, and mint another one when the oracle refuses it", async () => {
    const tokens: string[] = [];
    const createDelegation = async () => {
      const { did } = own;
      // The first token has another audience.
      const audience = tokens.length === 0 ? { audience: did } : {};
      const token = await order<{ serialized: string; expiresAt: number }>("mint", {
        did,
        seconds: 3_600,
        ...audience,
      });
      tokens.push(token.serialized);
      return token;
    };
    const own = await visit({ createDelegation, createInvocation: undefined });
    const result = hook(() => useOracleSessions(own.oracleDid, own.overrides), own);
    await waitFor(() => expect(result.current.isLoading).toBe(false));
    expect(result.current).toMatchObject({ sessions: [], error: undefined });
    expect(tokens).toHaveLength(2);
    const held = async () =>
      ((await (await own.ask("GET", "/delegation")).json()) as { authorized: boolean }).authorized;
    await waitFor(async () => expect(await held()).toBe(true));
  });
});
