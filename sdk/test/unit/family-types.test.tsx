import type { ReactElement } from "react";
import { describe, expectTypeOf, it } from "vitest";
import { z } from "zod";
import type * as Sdk from "../../src/index.ts";

// What apps written for another SDK of this family declare and pass. The type check compiles it.
type Chat = Sdk.UseChatReturn;
type Sessions = Sdk.UseOracleSessionsReturn;
type Again = { throwOnError?: boolean; cancelRefetch?: boolean };

describe("types that apps for another SDK of the family use", () => {
  it("let an attachment have a category", () => {
    const attachment: Sdk.Attachment = {
      mxcUri: "mxc://a/b",
      filename: "a.png",
      mimetype: "image/png",
      category: "image",
    };
    expectTypeOf(attachment.category).toEqualTypeOf<string | undefined>();
  });

  it("let a message count its chunks", () => {
    const message: Sdk.IMessage = { id: "1", type: "ai", content: "Hello", chunks: 2 };
    expectTypeOf(message.chunks).toEqualTypeOf<number | undefined>();
  });

  it("leave a component's arguments to the component", () => {
    const args: unknown = { city: "Lusaka" };
    const component: Sdk.IComponentMetadata = { name: "Weather", props: { id: "1", args, status: "error" } };
    expectTypeOf(component.props.args).toEqualTypeOf<unknown>();
  });

  it("know the payload and the event of a component", () => {
    const failed: Sdk.IComponentMetadata["props"]["event"] = {
      eventName: "error",
      payload: { error: "It failed.", timestamp: "2026-01-01T00:00:00Z", kind: "model", retryable: true },
    };
    const called: Sdk.IComponentMetadata["props"]["event"] = {
      eventName: "tool_call",
      payload: { sessionId: "s", requestId: "r", toolName: "search" },
    };
    expectTypeOf([failed, called]).items.not.toBeAny();
    expectTypeOf<Extract<Sdk.IComponentMetadata["props"]["payload"], { toolName: string }>>().toHaveProperty(
      "sessionId",
    );
  });

  it("let an app keep a thread as an IChatState", () => {
    const listeners = new Set<() => void>();
    const state: Sdk.IChatState = {
      status: "ready",
      error: undefined,
      run: { runId: null, requestId: null, reconnecting: false, resumed: 0, ended: null },
      messages: [],
      pushMessage: (message) => void state.messages.push(message),
      replaceMessage: (index, message) => void state.messages.splice(index, 1, message),
      updateLastMessage: (updater) => void state.messages.splice(-1, 1, ...state.messages.slice(-1).map(updater)),
      updateMessageById: (id, updater) => {
        state.messages = state.messages.map((message) => (message.id === id ? updater(message) : message));
      },
      snapshot: (thing) => structuredClone(thing),
      subscribe: (callback) => {
        listeners.add(callback);
        return () => void listeners.delete(callback);
      },
    };
    expectTypeOf(state.snapshot<Sdk.IMessage>).returns.toEqualTypeOf<Sdk.IMessage>();
  });

  it("name the callbacks of ISendMessageOptions", () => {
    const seen: string[] = [];
    const options: Sdk.ISendMessageOptions = {
      oracleDid: "did:key:oracle",
      sessionId: "s",
      overrides: { baseUrl: "http://localhost:3000" },
      onPaymentRequiredError: (claimIds) => void seen.push(...claimIds),
      refetchQueries: async () => {},
      onToolCall: async ({ toolCallData, requestId }) => void seen.push(toolCallData.toolName, requestId),
      onActionCall: async ({ actionCallData }) => void seen.push(actionCallData.toolCallId),
      onError: async ({ error }) => void seen.push(error.error, error.kind ?? ""),
      onReasoning: async ({ reasoningData }) => void seen.push(reasoningData.reasoning),
    };
    expectTypeOf(options.chatRef?.current).toEqualTypeOf<Sdk.Chat | undefined>();
  });

  it("take the options of refetchMessages", () => {
    expectTypeOf<[Again]>().toExtend<Parameters<Chat["refetchMessages"]>>();
    expectTypeOf<[]>().toExtend<Parameters<Chat["refetchMessages"]>>();
  });

  it("take the options of refetch", () => expectTypeOf<[Again]>().toExtend<Parameters<Sessions["refetch"]>>());

  it("take the options of fetchNextPage", () => {
    expectTypeOf<[Again]>().toExtend<Parameters<Sessions["fetchNextPage"]>>();
  });

  it("give the actions as a list that an app may sort", () => {
    expectTypeOf<Sdk.IOraclesContextProps["agActions"]>().toEqualTypeOf<Sdk.AgAction[]>();
  });

  it("let the context's transactSignX take the messages of any wallet", () => {
    type Message = { readonly typeUrl: string; readonly value: unknown };
    type Sign = (messages: readonly Message[], memo?: string) => Promise<{ transactionHash: string } | undefined>;
    expectTypeOf<Sdk.IOraclesContextProps["transactSignX"]>().toExtend<Sign>();
    expectTypeOf<Sign>().toExtend<Sdk.IOraclesProviderProps["transactSignX"]>();
  });

  it("let a renderer know fewer statuses", () => {
    const parameters = z.object({ title: z.string() });
    type Props = { status?: "isRunning" | "done"; args?: { title: string }; result?: unknown; isLoading?: boolean };
    const render = ({ args }: Props): ReactElement | null => (args ? <b>{args.title}</b> : null);
    const handler = ({ title }: { title: string }) => title.length;
    const action: Sdk.AgActionConfig<typeof parameters> = { name: "a", description: "b", parameters, handler, render };
    const tool: Sdk.IActionToolParams = { toolName: "a", description: "b", schema: parameters, handler, render };
    expectTypeOf([action.name, tool.toolName]).toEqualTypeOf<string[]>();
  });
});
