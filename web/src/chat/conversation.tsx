import { useChat } from "@hearth/oracles-client-sdk";
import { Badge, Button, Group, Stack, Text } from "@mantine/core";
import { IconPhone } from "@tabler/icons-react";
import { useRouter } from "@tanstack/react-router";
import { lazy, Suspense, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { EmptyNotice } from "../show/empty-notice.tsx";
import { ErrorNotice } from "../show/error-notice.tsx";
import { Loading } from "../show/loading.tsx";
import classes from "./chat.module.css";
import { consoleComponents } from "./components.tsx";
import { Composer } from "./composer.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { useConfirmations } from "./confirmations.ts";
import { MessageView } from "./message-view.tsx";
import type { OracleAddress } from "./oracle-provider.tsx";
import { pageTools } from "./page-tools.ts";
import { changePanel } from "./panel-store.ts";
import { PaymentDialog } from "./payment-dialog.tsx";
import { PaymentPrice } from "./payment-price.tsx";

const CallPanel = lazy(async () => ({ default: (await import("./call-panel.tsx")).CallPanel }));

type ConversationProps = OracleAddress & {
  sessionId: string;
  /** True in the panel next to a page, false when the conversation is the page. */
  isBeside?: boolean;
};

/** One conversation: messages, input, and the oracle's questions. */
export function Conversation({ oracleDid, overrides, sessionId, isBeside = false }: ConversationProps) {
  const { t } = useTranslation();
  const confirmations = useConfirmations();
  const [claimIds, setClaimIds] = useState<string[]>();
  const [isCalling, setCalling] = useState(false);
  const browserTools = usePageTools(sessionId, isBeside);
  const chat = useChat({
    ...{ oracleDid, sessionId, overrides, browserTools, uiComponents: consoleComponents },
    streamingMode: "batched",
    onPaymentRequiredError: setClaimIds,
    onConfirmationRequest: confirmations.ask,
  });
  // A turn that has ended, also in another tab, no longer waits for an answer.
  const { refuseAll } = confirmations;
  useEffect(() => {
    if (!chat.isSending) refuseAll();
  }, [chat.isSending, refuseAll]);
  return (
    <Stack gap="sm" className={classes.conversation ?? ""}>
      <Group justify="space-between">
        <Badge variant="outline" tt="none" styles={{ label: { color: "var(--mantine-color-text)" } }}>
          {t(chat.isRealTimeConnected ? "chat.live" : "chat.connecting")}
        </Badge>
        {!isCalling && (
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<IconPhone size={16} aria-hidden />}
            onClick={() => setCalling(true)}
          >
            {t("chat.call.start")}
          </Button>
        )}
      </Group>
      {isCalling && (
        <Suspense fallback={<Loading />}>
          <CallPanel
            {...{ oracleDid, overrides, sessionId }}
            onPaymentRequired={setClaimIds}
            onClose={() => setCalling(false)}
          />
        </Suspense>
      )}
      <Thread chat={chat} />
      {chat.sendMessageError !== undefined && !chat.messages.some(({ sendError }) => sendError !== undefined) && (
        <ErrorNotice error={chat.sendMessageError} />
      )}
      <PaymentPrice {...{ oracleDid, overrides }} />
      <Composer
        key={sessionId}
        {...{ oracleDid, overrides, sessionId, isSending: chat.isSending }}
        onSend={(text, options) => void chat.sendMessage(text, undefined, options)}
        onAbort={() => void chat.abortStream()}
      />
      {confirmations.request !== undefined && (
        <ConfirmDialog
          key={confirmations.request.toolCallId}
          request={confirmations.request}
          onAnswer={confirmations.answer}
        />
      )}
      {claimIds !== undefined && (
        <PaymentDialog
          {...{ oracleDid, overrides, claimIds }}
          onPaid={() => resendRefused(chat)}
          onClose={() => setClaimIds(undefined)}
        />
      )}
    </Stack>
  );
}

/** Send the message again that was refused for lack of payment. */
function resendRefused({ messages, sendMessage }: ReturnType<typeof useChat>): void {
  const refused = messages.findLast(({ sendError }) => sendError !== undefined);
  if (typeof refused?.content === "string") void sendMessage(refused.content);
}

function Thread({ chat }: { chat: ReturnType<typeof useChat> }) {
  const { t } = useTranslation();
  const { messages, isLoading, error, isSending, refetchMessages } = chat;
  const frame = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  // Scroll down as the text grows, unless the user has scrolled up.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after every change of the messages
  useLayoutEffect(() => {
    if (isAtEnd.current && frame.current !== null) frame.current.scrollTop = frame.current.scrollHeight;
  }, [messages]);
  return (
    <section
      ref={frame}
      className={classes.thread}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it
      tabIndex={0}
      aria-label={t("chat.thread")}
      aria-busy={isSending}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40;
      }}
    >
      {error !== undefined && <ErrorNotice error={error} onRetry={() => void refetchMessages()} />}
      {isLoading && <Loading />}
      {!isLoading && messages.length === 0 && <EmptyNotice text={t("chat.empty")} />}
      {messages.map((message) => (
        <MessageView key={message.id} message={message} />
      ))}
      <Text size="xs" c="dimmed" role="status">
        {isSending ? t("chat.answering") : ""}
      </Text>
    </section>
  );
}

function usePageTools(sessionId: string, isBeside: boolean) {
  const router = useRouter();
  return useMemo(
    () =>
      pageTools({
        paths: () => Object.keys(router.routesByPath).filter((path) => !path.includes("$")),
        current: () => router.state.location.pathname,
        go: async (path) => {
          // When the conversation was the page, it continues in the panel next to the opened page.
          if (!isBeside && path !== "/chat") changePanel({ isOpen: true, sessionId });
          await router.navigate({ to: path });
        },
        isBeside,
      }),
    [router, sessionId, isBeside],
  );
}
