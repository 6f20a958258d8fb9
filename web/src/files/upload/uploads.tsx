import { ActionIcon, Alert, Button, Group, Paper, Progress, Stack, Text } from "@mantine/core";
import { IconCheck, IconX } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { HearthError } from "../../../../wire/src/errors.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { formatBytes } from "../format-bytes.ts";
import { unusedPath } from "../paths.ts";
import type { UploadItem, UploadQueue } from "./upload-queue.ts";

type UploadsProps = { queue: UploadQueue; items: readonly UploadItem[] };

/** Uploads with their progress and failures. */
export function Uploads({ queue, items }: UploadsProps) {
  const { t } = useTranslation();
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
      {error !== undefined &&
        (isOvertaken(error) ? (
          <ConcurrentWrite item={item} queue={queue} />
        ) : (
          <ErrorNotice error={error} onRetry={() => queue.retry(key)} />
        ))}
    </div>
  );
}

/** A concurrent write has replaced the file: the user chooses which version to keep. */
function ConcurrentWrite({ item: { key, path }, queue }: { item: UploadItem; queue: UploadQueue }) {
  const { t } = useTranslation();
  return (
    <Alert color="orange" title={t("files.upload.overtaken")} role="alert" mt="xs">
      <Stack gap="xs">
        <Text size="sm">{t("files.upload.overtakenLead")}</Text>
        <Group gap="xs">
          <Button size="compact-sm" variant="default" onClick={() => queue.retry(key, unusedPath(path))}>
            {t("files.upload.keepBoth")}
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => queue.retry(key)}>
            {t("files.edit.saveOver")}
          </Button>
          <Button size="compact-sm" variant="default" onClick={() => queue.cancel(key)}>
            {t("files.upload.leave")}
          </Button>
        </Group>
      </Stack>
    </Alert>
  );
}

function isOvertaken(error: Error): boolean {
  return error instanceof HearthError && ["PRECONDITION_FAILED", "WRITE_CONFLICT", "CONFLICT"].includes(error.code);
}
