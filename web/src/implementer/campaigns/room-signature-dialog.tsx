import { FileInput, Group, Stack, Text, Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { queryClient } from "../../api/query-client.ts";
import { Form } from "../../forms/form.tsx";
import { CodeValue } from "../../show/code-value.tsx";
import { Dialog } from "../../show/dialog.tsx";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { Loading } from "../../show/loading.tsx";
import { findingsKey } from "./findings-key.ts";
import { readSignature } from "./room-signature.ts";

type DialogProps = { campaignId: string; onClose: () => void };

/** Stores a verifier's signature of a campaign's data room, which was made with the verifier's own key elsewhere. */
export function RoomSignatureDialog({ campaignId, onClose }: DialogProps) {
  const { t } = useTranslation();
  const form = useForm({
    initialValues: { signed: "" },
    validate: { signed: (text) => (readSignature(text) === undefined ? t("acts.signature.unreadable") : null) },
  });
  const store = useMutation({
    mutationFn: ({ signed }: typeof form.values) =>
      hearth.post("/v1/campaigns/{campaignId}/verifications", {
        path: { campaignId },
        body: { verifiableCredential: readSignature(signed) },
      }),
    onSuccess: async () => {
      await queryClient.invalidateQueries({ queryKey: ["implementer", "campaigns"] });
      onClose();
    },
  });
  const readFile = async (file: File | null) => {
    if (file !== null) form.setFieldValue("signed", await file.text());
  };
  return (
    <Dialog title={t("acts.signature.title")} size="lg" onClose={onClose}>
      <Form form={form} work={store} submit={t("acts.signature.submit")} onCancel={onClose}>
        <Text size="sm">{t("acts.signature.lead")}</Text>
        <ToSign campaignId={campaignId} />
        <FileInput
          label={t("acts.signature.file")}
          placeholder={t("acts.signature.choose")}
          accept=".jwt,.json,.txt,application/json,text/plain"
          onChange={(file) => void readFile(file)}
        />
        <Textarea
          label={t("acts.signature.signed")}
          description={t("acts.signature.signedHint")}
          autosize
          minRows={3}
          maxRows={10}
          spellCheck={false}
          required
          {...form.getInputProps("signed")}
        />
      </Form>
    </Dialog>
  );
}

/** What the verifier signs: the data room as it is now. */
function ToSign({ campaignId }: { campaignId: string }) {
  const { t } = useTranslation();
  const { data, error, refetch } = useQuery({
    queryKey: [...findingsKey(campaignId), "room-hash"],
    staleTime: 0,
    queryFn: ({ signal }) => readRoomHash(campaignId, signal),
  });
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  const subject = { campaignId, dataRoomHash: data };
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Text size="sm">{t("acts.signature.hash")}</Text>
        <CodeValue value={data} />
      </Group>
      <Group gap="xs">
        <Text size="sm">{t("acts.signature.subject")}</Text>
        <CodeValue value={JSON.stringify(subject)} />
      </Group>
    </Stack>
  );
}

/** Read the hash of a data room from the headers of its download, whose files are not read. @throws HearthError */
async function readRoomHash(campaignId: string, signal: AbortSignal): Promise<string> {
  const answer = await hearth.raw("get", "/v1/campaigns/{campaignId}/data-room", { path: { campaignId }, signal });
  await answer.body?.cancel();
  const hash = answer.headers.get("data-room-hash");
  if (hash === null) throw new Error("The data room has no hash.");
  return hash;
}
