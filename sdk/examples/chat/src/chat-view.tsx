import {
  type ConfirmationRequest,
  type IMessage,
  type Overrides,
  renderMessageContent,
  useChat,
} from "@hearth/oracles-client-sdk";
import { useEffect, useRef, useState } from "react";
import { Composer } from "./composer.tsx";
import { browserTools, uiComponents, useBarChart } from "./page-tools.tsx";
import { PaymentDialog } from "./payment-dialog.tsx";
import { Welcome } from "./welcome.tsx";

type Props = { oracleDid: string; sessionId: string; overrides: Overrides };

/** Ask the user to confirm a call, and show its exact arguments. */
const confirm = ({ summary, args }: ConfirmationRequest): boolean =>
  window.confirm(`${summary}\n\n${JSON.stringify(args, null, 2)}`);

export function ChatView({ oracleDid, sessionId, overrides }: Props) {
  const [unpaid, setUnpaid] = useState<string[]>([]);
  const chat = useChat({
    oracleDid,
    sessionId,
    overrides,
    browserTools,
    uiComponents,
    streamingMode: "batched",
    onPaymentRequiredError: setUnpaid,
    onConfirmationRequest: confirm,
  });
  useBarChart();
  const { messages, status, isSending, isLoading } = chat;
  const sendAll = async (texts: string[]) => {
    for (const text of texts) await chat.sendMessage(text);
  };
  const failure = chat.error ?? chat.sendMessageError;
  return (
    <main data-status={status}>
      {!isLoading && messages.length === 0 ? (
        <Welcome {...{ oracleDid, overrides }} onSend={(texts) => void sendAll(texts)} />
      ) : (
        <Thread {...{ messages, isSending }} />
      )}
      {unpaid.length === 0 && failure !== undefined && <p role="alert">{failure.message}</p>}
      <PaymentDialog {...{ oracleDid, overrides, claimIds: unpaid }} onClose={() => setUnpaid([])} />
      <Composer
        isSending={isSending}
        onSend={(text) => void chat.sendMessage(text)}
        onStop={() => void chat.abortStream()}
      />
      <footer>
        <span role="status">{chat.isRealTimeConnected ? (isSending ? "Answering…" : "Connected") : "Connecting…"}</span>
      </footer>
    </main>
  );
}

function Thread({ messages, isSending }: { messages: IMessage[]; isSending: boolean }) {
  const list = useRef<HTMLOListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scroll to each new message
  useEffect(() => {
    list.current?.scrollTo({ top: list.current.scrollHeight });
  }, [messages]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll
    <ol ref={list} tabIndex={0} aria-label="Conversation" aria-live="polite" aria-busy={isSending}>
      {messages.map(({ id, type, content, isReasoning, sendError }) => (
        <li key={id} className={type}>
          {renderMessageContent(content)}
          {isReasoning && <small>Thinking…</small>}
          {sendError !== undefined && <small>Not sent</small>}
        </li>
      ))}
    </ol>
  );
}
