import { ActionIcon, Button, Group, Paper, Progress, Stack, Text } from "@mantine/core";
import { IconCheck, IconX } from "@tabler/icons-react";
import { useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import { ErrorNotice } from "../show/error-notice.tsx";
import { formatBytes } from "./format-bytes.ts";
import type { UploadItem, UploadQueue } from "./upload-queue.ts";

/** What is on its way up, how far it is, and what failed. */
export function UploadList({ queue }: { queue: UploadQueue }) {
  const { t } = useTranslation();
  const items = useSyncExternalStore(queue.subscribe, queue.items);
  if (items.length === 0) return null;
  const done = items.filter(({ state }) => state === "done").length;
  return (
    <Paper withBorder p="sm">
      <Group justify="space-between" mb="xs">
        <Text size="sm" role="status">
          {t("files.upload.progress", { done, count: items.length })}
        </Text>
        <Button size="compact-sm" variant="subtle" onClick={() => queue.clear()}>
          {t("files.upload.clear")}
        </Button>
      </Group>
      <Stack gap="xs" mah={240} style={{ overflow: "auto" }}>
        {items.map((item) => (
          <UploadRow key={item.key} item={item} queue={queue} />
        ))}
      </Stack>
    </Paper>
  );
}

function UploadRow({ item, queue }: { item: UploadItem; queue: UploadQueue }) {
  const { t, i18n } = useTranslation();
  const { key, path, size, sent, state, error } = item;
  const share = state === "done" ? 100 : size === 0 ? 0 : (100 * sent) / size;
  const sizes = [sent, size].map((bytes) => formatBytes(bytes, i18n.language)).join(" / ");
  return (
    <div>
      <Group justify="space-between" wrap="nowrap" gap="xs">
        <Text size="sm" truncate>
          {path}
        </Text>
        <Group gap={4} wrap="nowrap">
          <Text size="xs" c="dimmed" style={{ whiteSpace: "nowrap" }}>
            {state === "sending" ? sizes : t(`files.upload.${state}`)}
          </Text>
          {state === "done" ? (
            <IconCheck size={16} aria-hidden />
          ) : (
            <ActionIcon
              variant="subtle"
              size="sm"
              color="gray"
              aria-label={t("files.upload.cancel", { path })}
              onClick={() => queue.cancel(key)}
            >
              <IconX size={14} />
            </ActionIcon>
          )}
        </Group>
      </Group>
      <Progress value={share} size="sm" aria-label={t("files.upload.of", { path })} color={error ? "red" : "teal"} />
      {error !== undefined && <ErrorNotice error={error} onRetry={() => queue.retry(key)} />}
    </div>
  );
}
