import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { saveAs } from "../../show/save-as.ts";
import { useObjectUrl } from "./use-object-url.ts";

type RecordFileProps = { recordId: string; file: Schemas["SubmissionDetail"]["files"][number] };

/** Types of photos that browsers show. Others, such as HEIC, are offered for download. */
const shown = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/** A photo of a record, or a button that saves another file. The server decrypts it for this one reading. */
export function RecordFile({ recordId, file }: RecordFileProps) {
  return shown.includes(file.mimeType) ? (
    <RecordPhoto recordId={recordId} file={file} />
  ) : (
    <SaveFile recordId={recordId} file={file} />
  );
}

async function readFile(id: string, name: string, signal?: AbortSignal): Promise<Blob> {
  const path = { id, name };
  return await (
    await hearth.raw("get", "/v1/odk/submissions/{id}/files/{name}", { path, ...(signal && { signal }) })
  ).blob();
}

function RecordPhoto({ recordId, file }: RecordFileProps) {
  const content = useQuery({
    queryKey: ["implementer", "records", recordId, "file", file.name, file.sha256],
    queryFn: ({ signal }) => readFile(recordId, file.name, signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const url = useObjectUrl(content.data, file.mimeType);
  if (content.error !== null) return <ErrorNotice error={content.error} onRetry={() => void content.refetch()} />;
  if (url === undefined) return <Loading />;
  return <img src={url} alt={file.name} style={{ maxWidth: "100%", maxHeight: "24rem" }} />;
}

function SaveFile({ recordId, file }: RecordFileProps) {
  const { t } = useTranslation();
  const save = useMutation({ mutationFn: async () => saveAs(await readFile(recordId, file.name), file.name) });
  return (
    <>
      <Button variant="default" size="compact-sm" loading={save.isPending} onClick={() => save.mutate()}>
        {t("implementer.records.save", { name: file.name })}
      </Button>
      {save.error !== null && <ErrorNotice error={save.error} />}
    </>
  );
}
