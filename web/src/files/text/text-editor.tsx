import { Alert, Button, Group, Stack, Text, Textarea } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { createTwoFilesPatch } from "diff";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { HearthError } from "../../../../wire/src/errors.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import type { FileStore } from "../file-store.ts";
import type { FileMetadata } from "../file-types.ts";
import { DiffView } from "./diff-view.tsx";
import { dropDraft, keepDraft, readDraft } from "./text-draft.ts";

type EditorProps = { store: FileStore; file: FileMetadata; onSaved: (file: FileMetadata) => void };

/** Edit a text file. The typed text survives a reload; a concurrent version is never overwritten without asking. */
export function TextEditor(props: EditorProps) {
  const { store, file } = props;
  const head = useQuery({
    queryKey: ["files", "text", store.owner, file.id, file.cid],
    queryFn: async ({ signal }) => (await store.content(file.id, undefined, signal)).text(),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (head.error !== null) return <ErrorNotice error={head.error} onRetry={() => void head.refetch()} />;
  if (head.data === undefined) return <Loading />;
  return <Editing key={file.id} {...props} headText={head.data} />;
}

function Editing({ store, file, onSaved, headText }: EditorProps & { headText: string }) {
  const { t } = useTranslation();
  const [draft, setDraft] = useState(() => readDraft(file.id) ?? { cid: file.cid, text: headText });
  const type = (text: string) => {
    setDraft({ ...draft, text });
    keepDraft(file.id, { ...draft, text });
  };
  const discard = () => {
    dropDraft(file.id);
    setDraft({ cid: file.cid, text: headText });
  };
  const save = useMutation({
    mutationFn: (cid: string) => store.writeText({ ...file, cid }, draft.text),
    onSuccess: (written) => {
      dropDraft(file.id);
      setDraft({ cid: written.cid, text: draft.text });
      onSaved(written);
    },
    onError: (error) => {
      // Concurrent write: show its head next to the draft.
      if (isStale(error)) void store.file(file.id).then(onSaved);
    },
  });
  const isBehind = draft.cid !== file.cid && draft.text !== headText;
  const isChanged = draft.text !== headText;
  return (
    <Stack gap="sm">
      {isBehind && <Behind headText={headText} draftText={draft.text} />}
      <Textarea
        label={t("files.edit.label", { name: file.name })}
        value={draft.text}
        onChange={(event) => type(event.currentTarget.value)}
        autosize
        minRows={10}
        maxRows={28}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
      />
      {save.error !== null && !isStale(save.error) && <ErrorNotice error={save.error} />}
      <Group>
        <Button
          loading={save.isPending}
          disabled={!isChanged}
          onClick={() => save.mutate(isBehind ? file.cid : draft.cid)}
        >
          {t(isBehind ? "files.edit.saveOver" : "common.save")}
        </Button>
        <Button variant="default" disabled={!isChanged} onClick={discard}>
          {t("files.edit.discard")}
        </Button>
        {isChanged && (
          <Text size="sm" c="dimmed">
            {t("files.edit.unsaved")}
          </Text>
        )}
      </Group>
    </Stack>
  );
}

function Behind({ headText, draftText }: { headText: string; draftText: string }) {
  const { t } = useTranslation();
  return (
    <Alert color="orange" title={t("files.edit.behind")} role="alert">
      <Stack gap="xs">
        <Text size="sm">{t("files.edit.behindLead")}</Text>
        <DiffView unified={createTwoFilesPatch("a", "b", headText, draftText)} label={t("files.edit.behindDiff")} />
      </Stack>
    </Alert>
  );
}

function isStale(error: unknown): boolean {
  return error instanceof HearthError && ["PRECONDITION_FAILED", "WRITE_CONFLICT"].includes(error.code);
}
