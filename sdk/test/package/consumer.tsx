// A user's app: compiled against the packed package, with both pairs of React and zod.
import {
  type AnyEvent,
  getOpenIdToken,
  type IChatOptions,
  type IMessage,
  OraclesProvider,
  renderMessageContent,
  useAgAction,
  useChat,
  useContractOracle,
  useGetOpenIdToken,
  useMemoryEngine,
  useModels,
  useOracleSessions,
  useOraclesConfig,
  useOraclesContext,
} from "@hearth/oracles-client-sdk";
import { ApiError } from "@hearth/oracles-client-sdk/core";
import { useLiveAgent } from "@hearth/oracles-client-sdk/live-agent";
import type { ReactNode } from "react";
import { z } from "zod";

/** Fails to compile when a type is `any`, as all types are whose declarations are missing. */
type Known<T> = 0 extends 1 & T ? never : T;
const known = <T,>(value: Known<T>): T => value;

const options: IChatOptions = {
  oracleDid: "did:key:z6Mk",
  sessionId: "s",
  streamingMode: "batched",
  overrides: { baseUrl: "https://x.org" },
  onPaymentRequiredError: (claimIds: string[]) => void claimIds.join(),
  browserTools: {
    look: {
      toolName: "look",
      description: "Looks.",
      schema: z.object({ at: z.string() }),
      fn: async ({ at }: { at: string }) => ({ at }),
    },
  },
  uiComponents: { Gauge: () => <b /> },
};

export function Page(): ReactNode {
  const chat = useChat(options);
  known(chat);
  const thread: IMessage[] = chat.messages;
  const status: "submitted" | "streaming" | "ready" | "error" = chat.status;
  const flags: boolean[] = [chat.isSending, chat.isLoading, chat.isRealTimeConnected, chat.isConfigReady];
  const errors: (Error | undefined)[] = [chat.error, chat.sendMessageError];
  const stop: () => Promise<void> = chat.abortStream;
  const again: () => Promise<unknown> = chat.refetchMessages;
  useAgAction({
    name: "draw",
    description: "Draws.",
    parameters: z.object({ points: z.array(z.number()) }),
    handler: async ({ points }) => known(points).length,
    render: ({ status: step }) => (step === "done" ? <i>done</i> : null),
  });
  const { sessions, createSession } = useOracleSessions(options.oracleDid);
  known(sessions);
  known(useOraclesConfig(options.oracleDid));
  known(useContractOracle());
  known(useMemoryEngine(options.oracleDid));
  known(useGetOpenIdToken());
  known(useModels(options.oracleDid));
  known(useOraclesContext().wallet.did);
  known(useLiveAgent({ oracleDid: options.oracleDid, sessionId: "s" }));
  void [status, flags, errors, again, getOpenIdToken];
  return (
    <ol>
      {thread.map(({ id, content }) => (
        <li key={id}>{renderMessageContent(content)}</li>
      ))}
      <button type="button" onClick={() => chat.sendMessage("Hello")} onBlur={() => void stop()}>
        Send
      </button>
      <button type="button" onClick={() => void createSession()}>
        New
      </button>
    </ol>
  );
}

export function App(): ReactNode {
  const mint = async (oracleDid: string) => ({ serialized: oracleDid, expiresAt: Date.now() });
  return (
    <OraclesProvider
      initialWallet={{ address: "0x0", did: "did:key:z6Mk", matrix: { accessToken: "", homeServer: "example.org" } }}
      transactSignX={async (messages, memo) => [messages, memo]}
      createDelegation={mint}
    >
      <Page />
    </OraclesProvider>
  );
}

export const eventName = (event: AnyEvent): "tool_call" | "render_component" | "browser_tool_call" | string =>
  event.eventName;

export const sentence = (error: unknown): string =>
  error instanceof ApiError ? `${error.code} ${error.status} ${error.requestId} ${error.message}` : String(error);

// @ts-expect-error: the provider needs a wallet
export const incomplete = <OraclesProvider createDelegation={async () => ({ serialized: "", expiresAt: 0 })} />;

// @ts-expect-error: there is no such field
export const absent = (chat: ReturnType<typeof useChat>) => chat.isStreaming;
