import { type UIComponents, useChat } from "@hearth/oracles-client-sdk";
import { Badge, Button, Group, Stack, Text } from "@mantine/core";
import { IconPhone } from "@tabler/icons-react";
import { useRouter } from "@tanstack/react-router";
import { lazy, type ReactNode, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { EmptyNotice } from "../show/empty-notice.tsx";
import { ErrorNotice } from "../show/error-notice.tsx";
import { Loading } from "../show/loading.tsx";
import { WhenLoaded } from "../show/when-loaded.tsx";
import classes from "./chat.module.css";
import { componentDescriptions, componentNames } from "./components/component-names.ts";
import { Composer } from "./composer.tsx";
import { useConfirmations } from "./confirm/confirmations.ts";
import { PaymentPrice } from "./confirm/payment-price.tsx";
import { MessageView } from "./message-view.tsx";
import type { OracleAddress } from "./oracle-provider.tsx";
import { type ConsolePages, pageTools } from "./page-tools.ts";
import { changePanel, panelCovers } from "./panel-store.ts";
import { ModelBadge, ModelNotice, Suggestions } from "./suggestions.tsx";

const metadata = { components: componentDescriptions };
/** Which calls are shown. Answers are drawn with the components themselves (answer.tsx), which are loaded with the first one. */
const uiComponents: UIComponents = Object.fromEntries(componentNames.map((name) => [name, () => null]));

const ConfirmDialog = lazy(async () => ({ default: (await import("./confirm/confirm-dialog.tsx")).ConfirmDialog }));
const PaymentDialog = lazy(async () => ({ default: (await import("./confirm/payment-dialog.tsx")).PaymentDialog }));
const CallPanel = lazy(async () => ({ default: (await import("./call-panel.tsx")).CallPanel }));

type ConversationProps = OracleAddress & {
  sessionId: string;
  /** True in the panel next to a page, false when the conversation is the page. */
  isBeside?: boolean;
  /** A question to send when the conversation opens. */
  ask?: string | undefined;
};

/** One conversation: messages, input, and the oracle's questions. */
export function Conversation({ oracleDid, overrides, sessionId, isBeside = false, ask }: ConversationProps) {
  const { t } = useTranslation();
  const confirmations = useConfirmations();
  const [claimIds, setClaimIds] = useState<string[]>();
  const [isCalling, setCalling] = useState(false);
  const pages = useConsolePages(sessionId, isBeside);
  const browserTools = useMemo(() => pageTools(pages), [pages]);
  const chat = useChat({
    ...{ oracleDid, sessionId, overrides, browserTools, uiComponents },
    streamingMode: "batched",
    onPaymentRequiredError: setClaimIds,
    onConfirmationRequest: confirmations.ask,
  });
  // A turn that has ended, also in another tab, no longer waits for an answer.
  const { refuseAll } = confirmations;
  useEffect(() => {
    if (!chat.isSending) refuseAll();
  }, [chat.isSending, refuseAll]);
  const { sendMessage } = chat;
  const hasAsked = useRef(false);
  useEffect(() => {
    if (ask === undefined || hasAsked.current) return;
    hasAsked.current = true;
    void sendMessage(ask, metadata);
  }, [ask, sendMessage]);
  return (
    <Stack gap="sm" className={classes.conversation ?? ""}>
      <Group justify="space-between">
        <Group gap="xs">
          <Badge variant="outline" tt="none" styles={{ label: { color: "var(--mantine-color-text)" } }}>
            {t(chat.isRealTimeConnected ? "chat.live" : "chat.connecting")}
          </Badge>
          <ModelBadge oracleDid={oracleDid} overrides={overrides} />
        </Group>
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
        <WhenLoaded>
          <CallPanel
            {...{ oracleDid, overrides, sessionId }}
            onPaymentRequired={setClaimIds}
            onClose={() => setCalling(false)}
          />
        </WhenLoaded>
      )}
      <Thread chat={chat} onOpen={pages.go} notice={<ModelNotice oracleDid={oracleDid} overrides={overrides} />} />
      {chat.sendMessageError !== undefined && !chat.messages.some(({ sendError }) => sendError !== undefined) && (
        <ErrorNotice error={chat.sendMessageError} />
      )}
      <PaymentPrice {...{ oracleDid, overrides }} />
      <Composer
        key={sessionId}
        {...{ oracleDid, overrides, sessionId, isSending: chat.isSending }}
        onSend={(text, options) => void chat.sendMessage(text, metadata, options)}
        onAbort={() => void chat.abortStream()}
      />
      {confirmations.request !== undefined && (
        <WhenLoaded fallback={null}>
          <ConfirmDialog
            key={confirmations.request.toolCallId}
            request={confirmations.request}
            onAnswer={confirmations.answer}
          />
        </WhenLoaded>
      )}
      {claimIds !== undefined && (
        <WhenLoaded fallback={null}>
          <PaymentDialog
            {...{ oracleDid, overrides, claimIds }}
            onPaid={() => resendRefused(chat)}
            onClose={() => setClaimIds(undefined)}
          />
        </WhenLoaded>
      )}
    </Stack>
  );
}

/** Send the message again that was refused for lack of payment. */
function resendRefused({ messages, sendMessage }: ReturnType<typeof useChat>): void {
  const refused = messages.findLast(({ sendError }) => sendError !== undefined);
  if (typeof refused?.content === "string") void sendMessage(refused.content, metadata);
}

type ThreadProps = {
  chat: ReturnType<typeof useChat>;
  onOpen: (path: string) => Promise<void>;
  /** Shown while there is no message. */
  notice: ReactNode;
};

function Thread({ chat, onOpen, notice }: ThreadProps) {
  const { t } = useTranslation();
  const { messages, isLoading, error, isSending, refetchMessages, sendMessage } = chat;
  const frame = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  // Scroll down as the text grows, unless the user has scrolled up.
  const follow = useCallback(() => {
    if (isAtEnd.current && frame.current !== null) frame.current.scrollTop = frame.current.scrollHeight;
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after every change of the messages
  useLayoutEffect(follow, [messages]);
  return (
    <section
      ref={frame}
      className={classes.thread}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users scroll it
      tabIndex={0}
      aria-label={t("chat.thread")}
      aria-busy={isSending}
      onClickCapture={(event) => {
        const path = consolePathOf(event.nativeEvent);
        if (path === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        void onOpen(path);
        // The person wants to see that page.
        if (panelCovers()) changePanel({ isOpen: false });
      }}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40;
      }}
    >
      {error !== undefined && <ErrorNotice error={error} onRetry={() => void refetchMessages()} />}
      {isLoading && <Loading />}
      {!isLoading && messages.length === 0 && (
        <EmptyNotice text={t("chat.empty")}>
          <Suggestions onAsk={(question) => void sendMessage(question, metadata)} />
          {notice}
        </EmptyNotice>
      )}
      {messages.map((message) => (
        <MessageView key={message.id} message={message} onDrawn={follow} />
      ))}
      <Text size="xs" c="dimmed" role="status">
        {isSending ? t("chat.answering") : ""}
      </Text>
    </section>
  );
}

function useConsolePages(sessionId: string, isBeside: boolean): ConsolePages {
  const router = useRouter();
  return useMemo(
    () => ({
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

/** The path below /console of a clicked link to this console; undefined for other clicks. */
function consolePathOf(event: MouseEvent): string | undefined {
  if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return undefined;
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  if (link === null) return undefined;
  const { origin, pathname } = new URL((link as HTMLAnchorElement).href);
  const isOurs = origin === window.location.origin && pathname.startsWith("/console/");
  return isOurs ? pathname.slice("/console".length) : undefined;
}
