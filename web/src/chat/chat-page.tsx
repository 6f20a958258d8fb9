import { useOracleSessions } from "@hearth/oracles-client-sdk";
import { Button } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { useIdentity } from "../identity/identity.ts";
import { KeyNotice } from "../identity/key-notice.tsx";
import { EmptyNotice } from "../show/empty-notice.tsx";
import { ErrorNotice } from "../show/error-notice.tsx";
import { Loading } from "../show/loading.tsx";
import { PageFrame } from "../show/page-frame.tsx";
import { WhenLoaded } from "../show/when-loaded.tsx";
import classes from "./chat.module.css";
import { type OracleAddress, OracleProvider } from "./oracle-provider.tsx";
import { SessionList } from "./sessions/session-list.tsx";
import { ModelNotice, Suggestions } from "./suggestions.tsx";

const loadConversation = async () => ({ default: (await import("./conversation.tsx")).Conversation });
const Conversation = lazy(loadConversation);
const PreferencesDialog = lazy(async () => ({
  default: (await import("./preferences-dialog.tsx")).PreferencesDialog,
}));

/** Conversations with the oracle. */
export function ChatPage() {
  const { t } = useTranslation();
  const { error } = useIdentity();
  const [isOpen, setOpen] = useState(false);
  // While the page asks for the conversations. An error is ignored here: the code is loaded again when one is shown.
  useEffect(() => void loadConversation().catch(() => undefined), []);
  return (
    <PageFrame
      title={t("shell.oracle.title")}
      lead={t("chat.lead")}
      actions={
        <Button variant="default" onClick={() => setOpen(true)}>
          {t("chat.preferences.open")}
        </Button>
      }
    >
      {error === undefined && <KeyNotice />}
      <OracleProvider>
        {(address) => (
          <>
            <Sessions {...address} />
            <WhenLoaded fallback={null}>
              {isOpen && <PreferencesDialog {...address} onClose={() => setOpen(false)} />}
            </WhenLoaded>
          </>
        )}
      </OracleProvider>
    </PageFrame>
  );
}

function Sessions({ oracleDid, overrides }: OracleAddress) {
  const { t } = useTranslation();
  const list = useOracleSessions(oracleDid, overrides);
  const { selected, select } = useSelectedSession();
  const { sessions = [], error, createSessionError, deleteSessionError } = list;
  // The newest session is open until the user selects another one.
  const sessionId = selected ?? sessions[0]?.sessionId ?? "";
  const [first, setFirst] = useState<{ sessionId: string; question: string }>();
  const create = async (question?: string) => {
    const made = await list.createSession().catch(() => undefined);
    if (made === undefined) return;
    if (question !== undefined) setFirst({ sessionId: made.sessionId, question });
    select(made.sessionId);
  };
  const remove = async (id: string) => {
    const isGone = await list.deleteSession(id).then(
      () => true,
      () => false,
    );
    if (isGone && id === sessionId) select(undefined);
  };
  const failure = createSessionError ?? deleteSessionError;
  if (error !== undefined && list.sessions === undefined) {
    return <ErrorNotice error={error} onRetry={() => void list.refetch()} />;
  }
  if (list.sessions === undefined) return <Loading />;
  return (
    <>
      {failure !== undefined && <ErrorNotice error={failure} />}
      <div className={classes.frame}>
        <SessionList
          sessions={sessions}
          selected={sessionId}
          isCreating={list.isCreatingSession}
          hasMore={list.hasMore}
          onSelect={select}
          onCreate={() => void create()}
          onDelete={(id) => void remove(id)}
          onMore={() => void list.loadMore()}
        />
        {sessionId === "" ? (
          <EmptyNotice text={t("chat.sessions.none")}>
            <Suggestions onAsk={(question) => void create(question)} />
            {/* It comes last, so that nothing moves when it comes. */}
            <ModelNotice oracleDid={oracleDid} overrides={overrides} />
          </EmptyNotice>
        ) : (
          <WhenLoaded>
            <Conversation
              key={sessionId}
              oracleDid={oracleDid}
              overrides={overrides}
              sessionId={sessionId}
              ask={first?.sessionId === sessionId ? first.question : undefined}
            />
          </WhenLoaded>
        )}
      </div>
    </>
  );
}

/** The open session's id is in the URL, so that reload and the back button work. */
function useSelectedSession() {
  const navigate = useNavigate();
  const search = useSearch({ strict: false }) as { session?: unknown };
  const selected = typeof search.session === "string" ? search.session : undefined;
  const select = (session: string | undefined) => void navigate({ to: "/chat", search: { session } as never });
  return { selected, select };
}
