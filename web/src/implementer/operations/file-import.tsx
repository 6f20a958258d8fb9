import { Alert, Button, FileInput, Group, Progress, Stack, Text } from "@mantine/core";
import { type QueryKey, useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { HearthClient } from "../../../../wire/src/client.ts";
import { sendOnce } from "../../api/attempt.ts";
import { clientWith } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { keep, kept } from "../../session/vault.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { OperationProgress } from "./operation-progress.tsx";
import type { IdColumn } from "./refused-rows.tsx";

type SentFile<Type> = { body: File; contentType: Type; idempotencyKey: string };

type FileImportProps<Type extends string> = {
  /** Name of the kind of import, by which the session remembers it. */
  name: string;
  label: string;
  hint: string;
  /** The columns of a file, separated by commas. */
  columns: string;
  /** Content types by the endings of a file's name; a file with another ending is sent as CSV. */
  types: { csv: Type } & Record<string, Type>;
  /** The column that identifies a row. */
  idColumn: IdColumn;
  /** What the file is for, when that is chosen on the page. */
  about?: string;
  send: (client: HearthClient, file: SentFile<Type>) => Promise<{ operationId: string }>;
  /** Lists to read again afterwards. */
  changes: QueryKey;
};

/** Import records from a file, with progress and the errors of each row. */
export function FileImport<Type extends string>(props: FileImportProps<Type>) {
  const { name, label, hint, columns, types, idColumn, about, send, changes } = props;
  const { t } = useTranslation();
  const [file, setFile] = useState<File | null>(null);
  const [sent, setSent] = useState(0);
  // A reload returns to the import that was started.
  const [operationId, setOperationId] = useState(() => kept<string>(name));
  const remember = (id: string | undefined) => {
    keep(name, id);
    setOperationId(id);
  };
  const start = useMutation({
    mutationFn: async (chosen: File) => {
      setSent(0);
      const contentType = contentTypeOf(chosen.name, types);
      const what = JSON.stringify([chosen.name, chosen.size, chosen.lastModified, about]);
      return await sendOnce(name, what, (idempotencyKey) => {
        const client = clientWith({ upload: { content: chosen, onSent: setSent } });
        return send(client, { body: chosen, contentType, idempotencyKey });
      });
    },
    onSuccess: (started) => remember(started.operationId),
  });
  if (operationId !== undefined) {
    return (
      <Stack gap="sm">
        <OperationProgress
          id={operationId}
          label={label}
          idColumn={idColumn}
          onEnd={() => void queryClient.invalidateQueries({ queryKey: changes })}
        />
        <Group>
          <Button variant="default" onClick={() => remember(undefined)}>
            {t("operation.file.another")}
          </Button>
        </Group>
      </Stack>
    );
  }
  return (
    <Stack gap="sm" maw={640}>
      <FileInput
        label={t("operation.file.file")}
        description={hint}
        placeholder={t("operation.file.choose")}
        accept={[...Object.keys(types).map((ending) => `.${ending}`), "text/csv"].join(",")}
        value={file}
        onChange={setFile}
        clearable
        clearButtonProps={{ "aria-label": t("common.cancel") }}
      />
      <Alert variant="light" color="gray">
        <Text size="sm" ff="monospace" style={{ overflowWrap: "anywhere" }}>
          {columns}
        </Text>
      </Alert>
      <Group>
        <Button disabled={file === null} loading={start.isPending} onClick={() => file && start.mutate(file)}>
          {t("operation.file.start")}
        </Button>
      </Group>
      {start.isPending && file !== null && <Sent bytes={sent} of={file.size} />}
      {start.isError && <ErrorNotice error={start.error} />}
    </Stack>
  );
}

/** Content type of a file by its name; CSV for any other ending. */
function contentTypeOf<Type extends string>(name: string, types: FileImportProps<Type>["types"]): Type {
  const ending = /\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(types, ending) ? (types[ending] ?? types.csv) : types.csv;
}

/** Upload progress; the server reads the whole file before it answers. */
function Sent({ bytes, of }: { bytes: number; of: number }) {
  const { t } = useTranslation();
  const percent = of === 0 ? 100 : Math.min(100, Math.floor((bytes * 100) / of));
  return (
    <Stack gap="xs">
      <Progress.Root size="lg">
        <Progress.Section value={percent} aria-label={t("operation.file.sending")} animated={percent === 100} />
      </Progress.Root>
      {/* Screen readers can read the bar at any time; only the end is announced. */}
      <Text size="sm" {...(percent === 100 && { role: "status" })}>
        {percent < 100 ? t("operation.file.sent", { percent }) : t("operation.file.read")}
      </Text>
    </Stack>
  );
}
