import { useOracleSessions } from "@hearth/oracles-client-sdk";
import { ActionIcon, Group, NativeSelect, Text, Title, Tooltip } from "@mantine/core";
import { IconMaximize, IconPlus, IconX } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { EmptyNotice } from "../show/empty-notice.tsx";
import { ErrorNotice } from "../show/error-notice.tsx";
import { Loading } from "../show/loading.tsx";
import classes from "./chat.module.css";
import { Conversation } from "./conversation.tsx";
import { type OracleAddress, OracleProvider } from "./oracle-provider.tsx";
import { changePanel, usePanel } from "./panel-store.ts";

/** The conversation next to the page; it stays open while pages change. */
export function OraclePanel() {
  return <OracleProvider>{(address) => <Panel {...address} />}</OracleProvider>;
}

function Panel({ oracleDid, overrides }: OracleAddress) {
  const { t } = useTranslation();
  const list = useOracleSessions(oracleDid, overrides);
  const panel = usePanel();
  const { sessions = [], error, createSessionError, isLoading } = list;
  const isKnown = sessions.some((each) => each.sessionId === panel.sessionId);
  const sessionId = isKnown ? panel.sessionId : (sessions[0]?.sessionId ?? "");
  const create = async () => {
    const made = await list.createSession().catch(() => undefined);
    if (made !== undefined) changePanel({ sessionId: made.sessionId });
  };
  return (
    <div className={classes.panel}>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Title order={2} size="h4">
          {t("shell.oracle.title")}
        </Title>
        <Group gap={4} wrap="nowrap">
          <PanelAction label={t("chat.sessions.create")} onClick={() => void create()} isBusy={list.isCreatingSession}>
            <IconPlus size={18} />
          </PanelAction>
          <Tooltip label={t("chat.panel.whole")}>
            <ActionIcon
              component={Link}
              to="/chat"
              search={{ session: sessionId || undefined } as never}
              variant="subtle"
              aria-label={t("chat.panel.whole")}
            >
              <IconMaximize size={18} />
            </ActionIcon>
          </Tooltip>
          <PanelAction label={t("chat.panel.close")} onClick={() => changePanel({ isOpen: false })}>
            <IconX size={18} />
          </PanelAction>
        </Group>
      </Group>
      {sessions.length > 1 && (
        <NativeSelect
          aria-label={t("chat.sessions.label")}
          value={sessionId}
          onChange={(event) => changePanel({ sessionId: event.currentTarget.value })}
          data={sessions.map((each) => ({ value: each.sessionId, label: each.title ?? each.sessionId }))}
        />
      )}
      <Text size="xs" c="dimmed">
        {t("chat.panel.sees")}
      </Text>
      {error !== undefined && <ErrorNotice error={error} onRetry={() => void list.refetch()} />}
      {createSessionError !== undefined && <ErrorNotice error={createSessionError} />}
      {isLoading && <Loading />}
      {!isLoading && sessionId === "" && <EmptyNotice text={t("chat.sessions.none")} />}
      {sessionId !== "" && <Conversation key={sessionId} {...{ oracleDid, overrides, sessionId }} isBeside />}
    </div>
  );
}

type ActionProps = { label: string; onClick: () => void; isBusy?: boolean; children: React.ReactNode };

function PanelAction({ label, onClick, isBusy = false, children }: ActionProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" aria-label={label} onClick={onClick} loading={isBusy}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
