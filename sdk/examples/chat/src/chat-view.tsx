import { type ConfirmationRequest, type Overrides, renderMessageContent, useChat } from "@hearth/oracles-client-sdk";
import { useEffect, useRef, useState } from "react";
import { Composer } from "./composer.tsx";
import { browserTools, uiComponents, useBarChart } from "./page-tools.tsx";
import { PaymentDialog } from "./payment-dialog.tsx";

type Props = { oracleDid: string; sessionId: string; overrides: Overrides };

/** What the oracle may not do unasked: shown with the very arguments that it would use. */
const confirm = ({ summary, args }: ConfirmationRequest): boolean =>
  window.confirm(`${summary}\n\n${JSON.stringify(args, null, 2)}`);

export function ChatView({ oracleDid, sessionId, overrides }: Props) {
  const [unpaid, setUnpaid] = useState<string[]>([]);
  const chat = useChat({
    ...{ oracleDid, sessionId, overrides, browserTools, uiComponents, streamingMode: "batched" },
    onPaymentRequiredError: setUnpaid,
    onConfirmationRequest: confirm,
  });
  useBarChart();
  const { messages, status, isSending } = chat;
  const thread = useRef<HTMLOListElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whatever is new is scrolled to
  useEffect(() => {
    thread.current?.scrollTo({ top: thread.current.scrollHeight });
  }, [messages]);
  const sendAll = async (texts: string[]) => {
    for (const text of texts) await chat.sendMessage(text);
  };
  const failure = chat.error ?? chat.sendMessageError;
  return (
    <main>
      <ol ref={thread} aria-live="polite" aria-busy={isSending}>
        {messages.map(({ id, type, content, isReasoning }) => (
          <li key={id} className={type}>
            {renderMessageContent(content)}
            {isReasoning && <small>Thinking…</small>}
          </li>
        ))}
      </ol>
      {unpaid.length === 0 && failure !== undefined && <p role="alert">{failure.message}</p>}
      <PaymentDialog {...{ oracleDid, overrides, claimIds: unpaid }} onClose={() => setUnpaid([])} />
      <Composer
        {...{ isSending, isEmpty: !chat.isLoading && messages.length === 0 }}
        onSend={(texts) => void sendAll(texts)}
        onStop={() => void chat.abortStream()}
      />
      <footer>
        {status}, {chat.isRealTimeConnected ? "connected" : "not connected"}
      </footer>
    </main>
  );
}
