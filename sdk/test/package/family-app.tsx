// An app written for the published SDK of this family: it uses nothing that is specific to this package.
// It is compiled against the packed package, and its call runs in Chromium.
import {
  type IBrowserTools,
  type IChatSession,
  type IMessage,
  OraclesProvider,
  renderMessageContent,
  type ToolCallEvent,
  type UIComponentProps,
  useAgAction,
  useChat,
  useContractOracle,
  useGetOpenIdToken,
  useMemoryEngine,
  useModels,
  useOracleSessions,
  useOraclesContext,
} from "@hearth/oracles-client-sdk";
import { useLiveAgent } from "@hearth/oracles-client-sdk/live-agent";
import { type FormEvent, type PropsWithChildren, useEffect, useState } from "react";
import { z } from "zod";

type Where = { oracleDid: string; baseUrl?: string };

const uiComponents = {
  ToolCall: ({ toolName, isLoading }: UIComponentProps<ToolCallEvent>) => (
    <i>{isLoading ? `${toolName} …` : toolName}</i>
  ),
  Error: ({ output }: { output?: string }) => <strong role="alert">{output}</strong>,
  WeatherWidget: (props: { city: string; temperature: number }) => (
    <p>
      {props.city}: {props.temperature}
    </p>
  ),
};

const browserTools: IBrowserTools = {
  getLocation: {
    toolName: "getLocation",
    description: "Where the user is.",
    schema: z.object({ exact: z.boolean().optional() }),
    fn: async () => ({ latitude: -15.4, longitude: 28.3 }),
  },
};

export function Chat({ oracleDid, baseUrl }: Where) {
  const { sessions, createSession, isLoading, error, hasNextPage, fetchNextPage } = useOracleSessions(oracleDid);
  const [chosen, setChosen] = useState<IChatSession>();
  const sessionId = chosen?.sessionId ?? sessions?.[0]?.sessionId ?? "";
  const { models, defaultModelId } = useModels(oracleDid);
  const [model, setModel] = useState<string>();
  const { messages, sendMessage, abortStream, isSending, run, hasEarlier, loadEarlier, sendMessageError } = useChat({
    oracleDid,
    sessionId,
    onPaymentRequiredError: (claimIds) => console.log("Payment required:", claimIds),
    uiComponents,
    browserTools,
    streamingMode: "throttled",
    model: model ?? defaultModelId ?? "",
    overrides: baseUrl === undefined ? {} : { baseUrl, wsUrl: baseUrl },
  });
  useAgAction({
    name: "create_data_table",
    description: "Creates a table.",
    parameters: z.object({ title: z.string().optional(), data: z.array(z.any()) }),
    handler: async ({ data }) => ({ success: true, rowCount: data.length }),
    render: ({ status, args }) => (status === "done" && args?.data ? <table>{args.title}</table> : null),
  });
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const input = event.currentTarget.elements.namedItem("message") as HTMLInputElement;
    await sendMessage(input.value, { from: "form" }, []);
    input.value = "";
  };
  return (
    <section>
      <button type="button" disabled={isLoading} onClick={async () => setChosen(await createSession())}>
        New Chat
      </button>
      {hasNextPage && (
        <button type="button" onClick={() => fetchNextPage()}>
          More
        </button>
      )}
      <select onChange={(event) => setModel(event.target.value)}>
        {models.map(({ id, label, costLabel }) => (
          <option key={id} value={id}>{`${label} ${costLabel}`}</option>
        ))}
      </select>
      {hasEarlier && (
        <button type="button" onClick={() => loadEarlier()}>
          Earlier
        </button>
      )}
      {messages.map((message: IMessage) => (
        <div key={message.id} className={message.type}>
          {renderMessageContent(message.content)}
        </div>
      ))}
      <form onSubmit={submit}>
        <input name="message" />
        <button type="submit" disabled={isSending}>
          {run.reconnecting ? "Reconnecting …" : "Send"}
        </button>
        <button type="button" onClick={() => abortStream()}>
          Stop
        </button>
      </form>
      <output>{sendMessageError?.message ?? error?.message}</output>
    </section>
  );
}

export function Contract({ oracleDid }: Where) {
  const params = { oracleDid, userClaimCollectionId: "1", adminAddress: "ixo1", claimId: "1", agentQuota: 1 };
  const { contractOracle, payClaim, pricingList, isOracleInRoom, inviteOracle, isInvitingOracle } = useContractOracle({
    params: { ...params, maxAmount: { amount: 1_000, denom: "uixo" } },
  });
  const { oracleRoomId, members, inviteUser, enableMemoryEngine } = useMemoryEngine(oracleDid);
  return (
    <section>
      <h2>{pricingList?.map(({ title, amount, denom }) => `${title} ${amount} ${denom}`)}</h2>
      <button type="button" onClick={() => contractOracle({ useAuthz: true })} onBlur={() => payClaim()}>
        Contract
      </button>
      <button type="button" disabled={isInvitingOracle || isOracleInRoom} onClick={() => inviteOracle()}>
        Invite
      </button>
      <button type="button" onClick={() => inviteUser("@a:b")} onBlur={() => enableMemoryEngine("@m:b")}>
        {`${oracleRoomId} ${members?.length ?? 0}`}
      </button>
    </section>
  );
}

type Toast = { title: string; description: string };

/** Room events that an app listens to, by the media server's names. */
const events = ["connected", "disconnected", "participantConnected", "participantDisconnected", "trackMuted"] as const;

export function Call({ oracleDid, baseUrl, sessionId }: Where & { sessionId: string }) {
  const { wallet } = useOraclesContext();
  const { openIdToken } = useGetOpenIdToken();
  const [toast, setToast] = useState<Toast>();
  const [told, setTold] = useState<string[]>([]);
  const [words, setWords] = useState<string[]>([]);
  const [people, setPeople] = useState<string[]>([]);
  // A messaging client and its token, which the other package needs.
  const mxClient = { sendEvent: async () => ({ event_id: "$1" }) };
  const token = openIdToken ?? { access_token: "", expires_in: 0, matrix_server_name: "", token_type: "Bearer" };
  const { callAgent, endCall, room, isCalling, isConnecting, isReady, isConfigReady, sessionStarted } = useLiveAgent(
    oracleDid,
    mxClient as never,
    token as never,
    setToast,
    baseUrl === undefined ? {} : { baseUrl },
  );
  useEffect(() => {
    const listeners = events.map((name) => {
      const hear = () => {
        setTold((before) => [...before, name]);
        setPeople([...room.remoteParticipants.values()].map(({ identity }) => identity));
      };
      room.on(name, hear);
      return () => room.off(name, hear);
    });
    const attach = (track: { attach: () => HTMLMediaElement }) => document.body.append(track.attach());
    const detach = (track: { detach: () => HTMLMediaElement[] }) => {
      for (const element of track.detach()) element.remove();
    };
    const read = (segments: { text: string }[]) =>
      setWords((before) => [...before, ...segments.map(({ text }) => text)]);
    room.on("trackSubscribed", attach);
    room.on("trackUnsubscribed", detach);
    room.on("transcriptionReceived", read);
    return () => {
      for (const leave of listeners) leave();
      room.off("trackSubscribed", attach);
      room.off("trackUnsubscribed", detach);
      room.off("transcriptionReceived", read);
    };
  }, [room]);
  const call = async () => {
    const userDid = wallet?.did ?? "";
    const agentVoice = "aoede" as never;
    const { callId } = await callAgent({ callType: "video", sessionId, userDid, agentVoice, language: "en" as never });
    setWords([`call ${callId === room.name}`]);
  };
  const { localParticipant } = room;
  return (
    <section aria-label="Call" data-state={room.state} data-ready={isReady} data-started={sessionStarted}>
      <button
        type="button"
        disabled={!isConfigReady || isCalling || isConnecting}
        onClick={() => call().catch(() => {})}
      >
        Call
      </button>
      <button type="button" onClick={() => endCall()}>
        Hang up
      </button>
      <button
        type="button"
        onClick={() => localParticipant.setMicrophoneEnabled(!localParticipant.isMicrophoneEnabled)}
      >
        Microphone
      </button>
      <button type="button" onClick={() => localParticipant.setCameraEnabled(!localParticipant.isCameraEnabled)}>
        Camera
      </button>
      <p title="Events">{told.join(" ")}</p>
      <p title="People">{people.join(" ")}</p>
      <p title="Words">{words.join("|")}</p>
      {toast !== undefined && <p role="alert">{`${toast.title}: ${toast.description}`}</p>}
    </section>
  );
}

type Wallet = { address: string; did: string; matrix: { accessToken: string; homeServer: string } };
type Mint = (oracleDid: string) => Promise<{ serialized: string; expiresAt: number }>;

export function Provider({ wallet, mint, children }: PropsWithChildren<{ wallet: Wallet; mint: Mint }>) {
  return (
    <OraclesProvider
      initialWallet={wallet}
      transactSignX={async () => undefined}
      createDelegation={mint}
      createInvocation={mint}
    >
      {children}
    </OraclesProvider>
  );
}
