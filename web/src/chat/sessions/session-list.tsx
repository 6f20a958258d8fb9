import type { IChatSession } from "@hearth/oracles-client-sdk";
import { ActionIcon, Button, Group, NavLink, Stack } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { lazy, useState } from "react";
import { useTranslation } from "react-i18next";
import { WhenLoaded } from "../../show/when-loaded.tsx";
import classes from "../chat.module.css";

const DeleteSessionDialog = lazy(async () => ({
  default: (await import("./delete-session-dialog.tsx")).DeleteSessionDialog,
}));

type SessionListProps = {
  sessions: readonly IChatSession[];
  selected: string;
  isCreating: boolean;
  hasMore: boolean;
  onSelect: (sessionId: string) => void;
  onCreate: () => void;
  onDelete: (sessionId: string) => void;
  onMore: () => void;
};

/** The user's conversations, newest first. */
export function SessionList({ sessions, selected, isCreating, hasMore, ...on }: SessionListProps) {
  const { t } = useTranslation();
  const [deleting, setDeleting] = useState<IChatSession>();
  return (
    <Stack gap="xs">
      <Button leftSection={<IconPlus size={16} aria-hidden />} loading={isCreating} onClick={on.onCreate}>
        {t("chat.sessions.create")}
      </Button>
      <nav className={classes.sessions} aria-label={t("chat.sessions.label")}>
        {sessions.map((session) => (
          <Group key={session.sessionId} gap={2} wrap="nowrap">
            <NavLink
              component="button"
              active={session.sessionId === selected}
              aria-current={session.sessionId === selected ? "true" : undefined}
              label={session.title}
              onClick={() => on.onSelect(session.sessionId)}
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={t("chat.sessions.delete", { title: session.title })}
              onClick={() => setDeleting(session)}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Group>
        ))}
        {hasMore && (
          <Button variant="subtle" size="compact-sm" fullWidth onClick={on.onMore}>
            {t("files.events.more")}
          </Button>
        )}
      </nav>
      {deleting !== undefined && (
        <WhenLoaded fallback={null}>
          <DeleteSessionDialog
            title={deleting.title ?? ""}
            onDelete={() => {
              on.onDelete(deleting.sessionId);
              setDeleting(undefined);
            }}
            onClose={() => setDeleting(undefined)}
          />
        </WhenLoaded>
      )}
    </Stack>
  );
}
