import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { CodeValue } from "../../show/code-value.tsx";
import { Dialog } from "../../show/dialog.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { StateBadge } from "../../show/state-badge.tsx";
import { AnswersTable } from "./answers-table.tsx";
import { CorrectionForm } from "./correction-form.tsx";
import { Reasons } from "./reason-text.tsx";
import { RecordFile } from "./record-file.tsx";

type Submission = Schemas["Submission"];
type RecordDialogProps = { record: Submission; onDelete: (record: Submission) => void; onClose: () => void };

/** A record's answers and photos. A refused one can be corrected here; then the correction is shown. */
export function RecordDialog({ record: opened, onDelete, onClose }: RecordDialogProps) {
  const { t } = useTranslation();
  const [record, setRecord] = useState(opened);
  const detail = useQuery({
    queryKey: ["implementer", "records", record.id, record.status],
    queryFn: ({ signal }) => hearth.get("/v1/odk/submissions/{id}", { path: { id: record.id }, signal }),
  });
  const person = record.collector.name ?? record.collector.id;
  const kind =
    record.day === null
      ? t(`implementer.records.kind.${record.form}`)
      : t("implementer.records.visitOfDay", { day: record.day });
  return (
    <Dialog title={t("implementer.records.title", { kind, person })} size="lg" onClose={onClose}>
      {detail.error !== null ? (
        <ErrorNotice error={detail.error} onRetry={() => void detail.refetch()} />
      ) : detail.data === undefined ? (
        <Loading />
      ) : (
        <Stack gap="md">
          <Outcome record={detail.data} />
          {detail.data.correctIn === "console" ? (
            <CorrectionForm key={detail.data.id} record={detail.data} onCorrected={setRecord} />
          ) : (
            <AnswersTable fields={detail.data.fields} />
          )}
          <Files record={detail.data} />
          {canDelete(detail.data) && (
            <Group justify="flex-end">
              <Button variant="default" onClick={() => onDelete(record)}>
                {t("implementer.records.deleteRecord")}
              </Button>
            </Group>
          )}
        </Stack>
      )}
    </Dialog>
  );
}

const canDelete = ({ status }: Submission) => status !== "accepted" && status !== "deleted" && status !== "replaced";

/** What happened to the record, and what to do about it. */
function Outcome({ record }: { record: Submission }) {
  const { t } = useTranslation();
  const { status, resultId, details, correctIn, correctedBy } = record;
  return (
    <Stack gap="xs">
      <Group gap="sm" role="status">
        <StateBadge kind="submission" state={status} />
        {resultId !== null && <CodeValue value={resultId} />}
      </Group>
      {correctedBy !== null && (
        <Group gap="xs">
          <Text size="sm">{t("implementer.records.correctedBy")}</Text>
          <CodeValue value={correctedBy} shorten />
        </Group>
      )}
      {details.length > 0 && (
        <Alert color="orange" title={t(`implementer.records.${status === "deleted" ? "reason" : "reasons"}`)}>
          <Reasons reasons={details} />
        </Alert>
      )}
      {(correctIn === "phone" || correctIn === "kobotoolbox") && (
        <Text size="sm">{t(`implementer.records.correctIn.${correctIn}`)}</Text>
      )}
    </Stack>
  );
}

function Files({ record: { id, files } }: { record: Schemas["SubmissionDetail"] }) {
  const { t } = useTranslation();
  if (files.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t("implementer.records.noFiles")}
      </Text>
    );
  }
  return (
    <Group align="flex-start">
      {files.map((file) => (
        <RecordFile key={file.name} recordId={id} file={file} />
      ))}
    </Group>
  );
}
