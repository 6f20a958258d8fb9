import { Alert, List, Stack, Text } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ConfirmForm } from "../../forms/confirm-form.tsx";
import { Dialog } from "../../show/dialog.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import type { BatchAnswer, FileMetadata } from "../file-types.ts";
import { formatBytes } from "../format-bytes.ts";
import { type BatchFailure, inBatches } from "./all-files.ts";

type BatchProps = {
  /** Names the list whose files the dialog acts on. */
  queryKey: readonly unknown[];
  read: () => Promise<FileMetadata[]>;
  work: (ids: readonly string[]) => Promise<BatchAnswer>;
  texts: { title: string; lead: string; submit: string };
  /** True: it cannot be undone, so the number of files must be typed. */
  isFinal?: boolean;
  onClose: (changed: boolean) => void;
};

/** Applies an action to many files after confirming their number and size; lists the refused ones. */
export function BatchDialog({ queryKey, read, work, texts, isFinal = false, onClose }: BatchProps) {
  const files = useQuery({ queryKey, queryFn: read, staleTime: 0, gcTime: 0 });
  const run = useMutation({
    mutationFn: (chosen: FileMetadata[]) => inBatches(chosen, work),
    onSuccess: (failures) => {
      if (failures.length === 0) onClose(true);
    },
  });
  const failures = run.data ?? [];
  return (
    <Dialog title={texts.title} onClose={() => onClose(run.isSuccess)}>
      <Stack>
        {files.error !== null && <ErrorNotice error={files.error} onRetry={() => void files.refetch()} />}
        {files.isPending && <Loading />}
        {run.error !== null && <ErrorNotice error={run.error} />}
        {failures.length > 0 && <Refused failures={failures} />}
        {files.data !== undefined && !run.isSuccess && (
          <Question {...{ texts, isFinal, run }} files={files.data} onCancel={() => onClose(false)} />
        )}
      </Stack>
    </Dialog>
  );
}

type QuestionProps = Pick<BatchProps, "texts"> & {
  files: FileMetadata[];
  isFinal: boolean;
  run: { mutate: (files: FileMetadata[]) => void; isPending: boolean };
  onCancel: () => void;
};

function Question({ texts, files, isFinal, run, onCancel }: QuestionProps) {
  const { t, i18n } = useTranslation();
  const number = String(files.length);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return (
    <ConfirmForm
      work={{ mutate: () => run.mutate(files), isPending: run.isPending, error: null }}
      submit={texts.submit}
      canSubmit={files.length > 0}
      {...(isFinal && {
        typed: { text: number, label: t("files.purge.typeCount", { number }), inputMode: "numeric" as const },
      })}
      onCancel={onCancel}
    >
      <Text fw={600}>
        {t("files.usage.files", { count: files.length })} · {formatBytes(bytes, i18n.language)}
      </Text>
      <Text>{texts.lead}</Text>
    </ConfirmForm>
  );
}

function Refused({ failures }: { failures: readonly BatchFailure[] }) {
  const { t } = useTranslation();
  return (
    <Alert color="red" title={t("files.batch.refused", { count: failures.length })} role="alert">
      <List size="sm">
        {failures.slice(0, 20).map(({ path, error }) => (
          <List.Item key={path}>
            {path}: {error}
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}
