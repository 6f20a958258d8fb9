/// <reference types="node" />
import { renderHook, waitFor } from "@testing-library/react";
import type { FC, ReactNode } from "react";
import { afterEach, beforeAll, describe, expect, expectTypeOf, it, vi } from "vitest";
import { z } from "zod";
import manifest from "../../package.json" with { type: "json" };
import { Credentials } from "../../src/core/credentials.ts";
import { Flusher } from "../../src/core/flush.ts";
import * as core from "../../src/core.ts";
import * as sdk from "../../src/index.ts";
import * as liveAgent from "../../src/live-agent.ts";
import { acts, openChat, type Visitor, visit, within } from "../visitor.tsx";

// The published names of the SDK. Additions, removals and renamings must be repeated here.

const coreExports = [
  ...["ApiError", "Chat", "Connections", "Credentials", "IDLE_RUN_STATE", "OracleClient", "StreamCutError"],
  ...["abortTurn", "addMemory", "connectRealtime", "correctMemory", "createSession", "currentRun", "deleteSession"],
  ...["followRun", "forgetMemory", "getOpenIdToken", "listMemories", "listMessages", "listModels", "listSessions"],
  ...["pageMessages", "postMessage", "readOracleConfig"],
];
const reactExports = [
  ...["OraclesProvider", "RequestError", "renderMessageContent", "useAgAction", "useChat", "useContractOracle"],
  ...["useGetOpenIdToken", "useLiveAgent", "useMemoryEngine", "useModels", "useOracleSessions", "useOraclesConfig"],
  "useOraclesContext",
];
const callExports = ["CallLostError", "CallRefusedError", "DeviceError", "LiveCall", "canEncryptMedia", "useLiveAgent"];

const chatFields = [
  ...["messages", "sendMessage", "abortStream", "status", "isSending", "isLoading", "error", "sendMessageError"],
  ...["refetchMessages", "isRealTimeConnected", "isConfigReady"],
  ...["run", "hasEarlier", "loadEarlier", "isLoadingEarlier"],
];
const sessionFields = [
  ...["sessions", "total", "isLoading", "error", "createSession", "isCreatingSession", "isCreateSessionError"],
  ...["createSessionError", "deleteSession", "isDeletingSession", "isDeleteSessionError", "deleteSessionError"],
  ...["refetch", "isConfigReady", "hasMore", "loadMore", "isLoadingMore"],
  ...["hasNextPage", "fetchNextPage", "isFetchingNextPage"],
];
const contractFields = [
  ...["contractOracle", "isContractingOracle", "payClaim", "isPayingClaim", "error", "data", "agentCard"],
  ...["isLoadingAgentCard", "pricingList", "isLoadingPricingList", "authzConfig", "isLoadingAuthzConfig"],
  ...["isOracleInRoom", "isLoadingOracleInRoom", "inviteOracle", "isInvitingOracle"],
];
const memoryFields = [
  ...["memories", "isLoading", "error", "refetch", "remember", "correct", "forget", "search"],
  ...["oracleRoomId", "isLoadingOracleRoomId", "members", "isLoadingMembers"],
  ...["inviteUser", "isInvitingUser", "enableMemoryEngine", "isLoadingMemoryEngine"],
];
const contextFields = [
  ...["wallet", "transactSignX", "authedRequest", "getDelegation", "getInvocation", "agActions", "registerAgAction"],
  ...["unregisterAgAction", "executeAgAction", "getAgActionRender"],
  ...["network", "credentials", "connections", "clientOf", "channelOf", "configOf", "uiComponents"],
];
const callFields = [
  ...["status", "callId", "error", "deviceProblem", "participants", "localStream", "isMuted", "isVideoEnabled"],
  ...["devices", "audioOutput", "captions", "safetyNumber", "isReady", "join", "leave", "setMuted", "toggleMute"],
  ...["setVideoEnabled", "selectDevice", "invite", "getStats"],
];
const familyCallFields = [
  ...["callAgent", "isCalling", "endCall", "isConnecting", "sessionStarted", "sessionViewVisible", "isReady"],
  ...["isConfigReady", "room"],
];

type Hook = { use: (visitor: Visitor) => unknown; gives: string[] | undefined };
const action = { name: "a", description: "A.", parameters: z.object({}), handler: () => 1 };
const onPaymentRequiredError = () => {};

/** Every hook with the names of the fields it returns. */
const hooks: Record<string, Hook> = {
  useAgAction: { use: () => sdk.useAgAction(action), gives: undefined },
  useChat: {
    use: ({ oracleDid, overrides }) => sdk.useChat({ oracleDid, sessionId: "", overrides, onPaymentRequiredError }),
    gives: chatFields,
  },
  useContractOracle: { use: () => sdk.useContractOracle(), gives: contractFields },
  useGetOpenIdToken: {
    use: () => sdk.useGetOpenIdToken(),
    gives: ["openIdToken", "isLoading", "error", "refetch"],
  },
  useLiveAgent: {
    use: ({ oracleDid, overrides }) => liveAgent.useLiveAgent({ oracleDid, sessionId: "", overrides }),
    gives: callFields,
  },
  useMemoryEngine: {
    use: ({ oracleDid, overrides }) => sdk.useMemoryEngine(oracleDid, overrides),
    gives: memoryFields,
  },
  useModels: {
    use: ({ oracleDid, overrides }) => sdk.useModels(oracleDid, overrides),
    gives: ["models", "defaultModelId", "defaultModel", "isLoading", "error", "refetch"],
  },
  useOracleSessions: {
    use: ({ oracleDid, overrides }) => sdk.useOracleSessions(oracleDid, overrides),
    gives: sessionFields,
  },
  useOraclesConfig: {
    use: ({ oracleDid, overrides }) => sdk.useOraclesConfig(oracleDid, overrides),
    gives: ["config", "isLoading", "isReady", "error", "refetch"],
  },
  useOraclesContext: { use: () => sdk.useOraclesContext(), gives: contextFields },
};

const names = (module: object) => Object.keys(module).sort();

describe("the SDK's public interface", () => {
  let visitor: Visitor;
  beforeAll(async () => {
    visitor = await visit();
  });
  afterEach(() => void vi.restoreAllMocks());

  it("has these exports of three entry points, and no others", () => {
    expect(names(core)).toEqual([...coreExports].sort());
    expect(names(sdk)).toEqual([...coreExports, ...reactExports].sort());
    expect(names(liveAgent)).toEqual([...callExports].sort());
    expect(sdk.useLiveAgent).toBe(liveAgent.useLiveAgent);
    expect(Object.keys(manifest.exports)).toEqual([".", "./core", "./live-agent", "./package.json"]);
  });

  it("supports React from 18, zod 3.25 and 4, and Node from 22", () => {
    expect(manifest.peerDependencies).toEqual({ react: ">=18", zod: "^3.25.0 || ^4.0.0" });
    expect(manifest.engines).toEqual({ node: ">=22" });
    expect(manifest).toMatchObject({ type: "module", sideEffects: false });
  });

  const all = names(sdk).filter((name) => name.startsWith("use"));
  it("has these hooks and no others", () => {
    expect(Object.keys(hooks).sort()).toEqual(all);
  });

  for (const [name, { use, gives }] of Object.entries(hooks)) {
    it(`has the fields of ${name}, and its error without a provider`, () => {
      const { result } = renderHook(() => use(visitor), { wrapper: within(visitor.props) });
      if (gives === undefined) expect(result.current).toBeUndefined();
      else expect(names(result.current as object)).toEqual([...gives].sort());
      vi.spyOn(console, "error").mockImplementation(() => {});
      expect(() => renderHook(() => use(visitor))).toThrow(
        new Error("useOraclesContext must be used within a OraclesProvider"),
      );
    });
  }

  it("has the fields of a call in the family's form", () => {
    const use = () => liveAgent.useLiveAgent(visitor.oracleDid, {}, {}, () => {}, visitor.overrides);
    const { result } = renderHook(use, { wrapper: within(visitor.props) });
    expect(names(result.current)).toEqual([...familyCallFields].sort());
    const { isCalling, isConnecting, sessionStarted, sessionViewVisible, isReady, isConfigReady } = result.current;
    expect({ isCalling, isConnecting, sessionStarted, sessionViewVisible, isReady, isConfigReady }).toEqual({
      isCalling: false,
      isConnecting: false,
      sessionStarted: false,
      sessionViewVisible: false,
      isReady: false,
      isConfigReady: true,
    });
  });

  it("sends these tokens in headers and in a socket's handshake", async () => {
    const mint = async (oracleDid: string) => ({ serialized: `t-${oracleDid}`, expiresAt: Date.now() + 3_600_000 });
    const both = new Credentials({ userDid: "did:u", createDelegation: mint, createInvocation: mint });
    expect(await both.headers("did:o")).toEqual({
      authorization: "Bearer t-did:o",
      "x-auth-type": "ucan",
      "x-ucan-delegation": "t-did:o",
    });
    expect(await both.handshake("did:o")).toEqual({ invocation: "t-did:o", ucanDelegation: "t-did:o" });
  });

  it("renders text as `streamingMode` says, and immediately without it", async () => {
    for (const streamingMode of [undefined, "batched", "immediate", "throttled"] as const) {
      const schedule = vi.spyOn(Flusher.prototype, "schedule");
      const sessionId = await visitor.session();
      const { result, unmount } = openChat(visitor, sessionId, {
        ...(streamingMode === undefined ? {} : { streamingMode, streamingThrottleMs: 7 }),
      });
      await waitFor(() => expect(result.current.isLoading).toBe(false));
      void result.current.sendMessage(acts([{ text: ["one ", "two"] }]));
      await waitFor(() => expect(result.current.messages[1]?.content).toBe("one two"));
      const asked = new Set(schedule.mock.calls.map((given) => JSON.stringify(given)));
      expect([...asked]).toEqual([JSON.stringify([streamingMode ?? "immediate", streamingMode && 7])]);
      unmount();
      schedule.mockRestore();
    }
  });

  it("prefers each override to the registered URL", async () => {
    const sessionId = await visitor.session();
    const { baseUrl } = visitor.overrides;
    // Nothing listens there: messages work, events do not.
    const { result } = openChat(visitor, sessionId, { overrides: { baseUrl, wsUrl: "http://127.0.0.1:9" } });
    await waitFor(() => expect(result.current.isLoading).toBe(false));
    void result.current.sendMessage("hello");
    await waitFor(() => expect(result.current.messages[1]?.content).toBe("You said: hello"));
    expect(result.current).toMatchObject({ isRealTimeConnected: false, isConfigReady: true });
  });

  it("has these types", () => {
    type Required<T> = { [K in keyof T]-?: undefined extends T[K] ? never : K }[keyof T];
    expectTypeOf<Required<sdk.IOraclesProviderProps>>().toEqualTypeOf<
      "initialWallet" | "transactSignX" | "createDelegation"
    >();
    expectTypeOf<sdk.IOraclesProviderProps["initialWallet"]>().toEqualTypeOf<{
      address: string;
      did: string;
      matrix: { accessToken: string; homeServer: string };
    }>();
    type Mint = (oracleDid: string) => Promise<{ serialized: string; expiresAt: number }>;
    expectTypeOf<sdk.IOraclesProviderProps["createDelegation"]>().toEqualTypeOf<Mint>();
    expectTypeOf<sdk.IOraclesProviderProps["createInvocation"]>().toEqualTypeOf<Mint | undefined>();
    expectTypeOf<sdk.IOraclesProviderProps["transactSignX"]>().returns.toEqualTypeOf<Promise<unknown>>();
    expectTypeOf<Required<sdk.IChatOptions>>().toEqualTypeOf<"oracleDid" | "sessionId" | "onPaymentRequiredError">();
    expectTypeOf<sdk.IChatOptions["onPaymentRequiredError"]>().toEqualTypeOf<(claimIds: string[]) => void>();
    expectTypeOf<"batched" | "immediate">().toExtend<sdk.IChatOptions["streamingMode"]>();
    expectTypeOf<{ baseUrl: string; wsUrl: string }>().toExtend<sdk.IChatOptions["overrides"]>();
    expectTypeOf<Required<sdk.IBrowserTool>>().toEqualTypeOf<"toolName" | "description" | "schema" | "fn">();
    expectTypeOf<sdk.IMessage>().toExtend<{ id: string; type: "ai" | "human"; content: sdk.MessageContent }>();
    expectTypeOf<sdk.UseChatReturn["status"]>().toEqualTypeOf<"submitted" | "streaming" | "ready" | "error">();
    expectTypeOf<sdk.UseChatReturn["sendMessage"]>().toExtend<(message: string) => void>();
    expectTypeOf<sdk.UseChatReturn["abortStream"]>().toEqualTypeOf<() => Promise<void>>();
    expectTypeOf<sdk.UseChatReturn["error"]>().toEqualTypeOf<Error | undefined>();
    expectTypeOf<sdk.UseChatReturn["sendMessageError"]>().toEqualTypeOf<Error | undefined>();
    expectTypeOf<sdk.UseChatReturn["refetchMessages"]>().returns.toExtend<Promise<unknown>>();
    expectTypeOf<"isStreaming" | "events">().not.toExtend<keyof sdk.UseChatReturn>();
    expectTypeOf<keyof sdk.AgActionConfig>().toEqualTypeOf<
      "name" | "description" | "parameters" | "handler" | "render"
    >();
    expectTypeOf<sdk.AgActionRender>().returns.toEqualTypeOf<ReactNode>();
    expectTypeOf<"done">().toExtend<sdk.AgActionRenderProps["status"]>();
    expectTypeOf<sdk.AnyEvent["eventName"]>().toEqualTypeOf<"tool_call" | "render_component" | "browser_tool_call">();
    expectTypeOf<Record<string, FC<{ city: string }>>>().toExtend<sdk.UIComponents>();
    expectTypeOf<keyof sdk.ApiError>().toExtend<string>();
    expectTypeOf<Pick<sdk.ApiError, "code" | "status" | "message" | "requestId" | "details">>().toEqualTypeOf<{
      readonly code: string;
      readonly status: number;
      message: string;
      readonly requestId: string | undefined;
      readonly details: sdk.ErrorDetail[];
    }>();
  });
});
