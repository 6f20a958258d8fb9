import {
  ApiError,
  OraclesProvider,
  renderMessageContent,
  useAgAction,
  useChat,
  useContractOracle,
} from "@hearth/oracles-client-sdk";
import { StrictMode, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { z } from "zod";
import { type Minted, openUserKey } from "../../examples/chat/src/user-key.ts";
import type { Seen } from "./fixture.ts";

const { fixture } = window;
const seen: Seen = {
  statuses: [],
  runs: [],
  claims: [],
  renders: [],
  minted: { delegations: 0, invocations: 0 },
};
window.seen = seen;

const key = openUserKey(fixture.secret, fixture.lifetimes);
const believe = ({ serialized, expiresAt }: Minted): Minted => ({
  serialized,
  expiresAt: fixture.believedSeconds === undefined ? expiresAt : Date.now() + fixture.believedSeconds * 1000,
});
const createDelegation = async (oracleDid: string) => {
  seen.minted.delegations += 1;
  return believe(await key.createDelegation(oracleDid));
};
const createInvocation = async (oracleDid: string) => {
  seen.minted.invocations += 1;
  return believe(await key.createInvocation(oracleDid));
};

const browserTools = {
  read_heading: {
    toolName: "read_heading",
    description: "Reads the heading of the page.",
    schema: z.object({ level: z.number().int().min(1).max(6) }),
    fn: async (args: { level: number }) => {
      seen.runs.push({ name: "read_heading", args });
      return { text: document.querySelector(`h${args.level}`)?.textContent ?? null };
    },
  },
  hold_on: {
    toolName: "hold_on",
    description: "Answers when it is let go.",
    schema: z.object({}),
    fn: async () => {
      seen.runs.push({ name: "hold_on", args: {} });
      await new Promise<void>((resolve) => {
        window.letGo = resolve;
      });
      return { held: true };
    },
  },
  break_down: {
    toolName: "break_down",
    description: "Fails.",
    schema: z.object({}),
    fn: async () => {
      throw new Error("The page has no stove");
    },
  },
};

function Gauge({ label, value }: { label?: string; value?: number }) {
  return (
    <meter aria-label={label} value={value} max={100}>
      {value}
    </meter>
  );
}
const uiComponents = { Gauge };

function Chat() {
  const chat = useChat({
    oracleDid: fixture.oracleDid,
    sessionId: fixture.sessionId,
    onPaymentRequiredError: (claimIds) => seen.claims.push(claimIds),
    browserTools,
    uiComponents,
    overrides: { baseUrl: fixture.url, wsUrl: fixture.url },
    ...(fixture.streamingMode === undefined ? {} : { streamingMode: fixture.streamingMode }),
  });
  useAgAction({
    name: "draw_chart",
    description: "Draws a chart of numbers.",
    parameters: z.object({ title: z.string(), points: z.array(z.number()) }),
    handler: async (args) => {
      seen.runs.push({ name: "draw_chart", args });
      return { drawn: args.points.length };
    },
    render: ({ status, args }) => {
      seen.renders.push({ status, args });
      return (
        <figure data-status={status}>
          <figcaption>{args?.title}</figcaption>
          {args?.points?.join(" ")}
        </figure>
      );
    },
  });
  useAgAction({
    name: "spoil_chart",
    description: "Fails.",
    parameters: z.object({ title: z.string() }),
    handler: () => {
      throw new Error("There is no paper");
    },
    render: ({ status, args }) => (
      <figure data-status={status}>
        <figcaption>{args?.title}</figcaption>
      </figure>
    ),
  });
  const { status, messages } = chat;
  useEffect(() => {
    if (seen.statuses.at(-1) !== status) seen.statuses.push(status);
  }, [status]);
  return (
    <main data-status={status} data-connected={chat.isRealTimeConnected} data-loading={chat.isLoading}>
      <h1>Kitchen</h1>
      <ol>
        {messages.map((message) => (
          <li key={message.id} data-id={message.id} data-type={message.type}>
            {renderMessageContent(message.content)}
          </li>
        ))}
      </ol>
      <Draft send={chat.sendMessage} />
      <button type="button" onClick={() => void chat.abortStream()}>
        Stop
      </button>
      {window.signTransactions === undefined ? null : <Payment />}
      <output>{sentenceOf(chat.error ?? chat.sendMessageError)}</output>
    </main>
  );
}

/** Show an error with every violated rule. */
const sentenceOf = (error: Error | undefined) =>
  error instanceof ApiError
    ? [error.message, ...error.details.map(({ message }) => message)].join(" ")
    : error?.message;

/** Pay a deposit with the test's wallet. */
function Payment() {
  const { oracleDid, url: baseUrl } = fixture;
  const { contractOracle, isContractingOracle, pricingList } = useContractOracle({ oracleDid, overrides: { baseUrl } });
  return (
    <button type="button" disabled={isContractingOracle} onClick={() => void contractOracle({ memo: "deposit" })}>
      {`Pay ${pricingList?.[0]?.amount}`}
    </button>
  );
}

function Draft({ send }: { send: (text: string) => void }) {
  const [text, setText] = useState("");
  const submit = (event: { preventDefault: () => void }) => {
    event.preventDefault();
    send(text);
    setText("");
  };
  return (
    <form onSubmit={submit}>
      <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
      <button type="submit">Send</button>
    </form>
  );
}

const wallet = { address: "", did: key.did, matrix: { accessToken: "", homeServer: "" } };
const transactSignX = async (messages: object[]) => {
  if (window.signTransactions === undefined) throw new Error("This page signs nothing");
  return await window.signTransactions(messages);
};

createRoot(document.body.appendChild(document.createElement("div"))).render(
  <StrictMode>
    <OraclesProvider
      initialWallet={wallet}
      transactSignX={transactSignX}
      createDelegation={createDelegation}
      {...(fixture.invocation === false ? {} : { createInvocation })}
    >
      <Chat />
    </OraclesProvider>
  </StrictMode>,
);
