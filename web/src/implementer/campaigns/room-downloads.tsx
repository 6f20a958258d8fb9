import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { saveFile } from "../../regulator/save-file.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";

const files = { "monitoring-report": "pdf", "data-room": "zip" } as const;
type RoomFile = keyof typeof files;

/** The monitoring report and the data room of a closed campaign. */
export function RoomDownloads({ campaignId }: { campaignId: string }) {
  const { t } = useTranslation();
  const save = useMutation({
    mutationFn: (what: RoomFile) =>
      saveFile(
        hearth.raw("get", `/v1/campaigns/{campaignId}/${what}`, { path: { campaignId } }),
        `${campaignId}.${files[what]}`,
      ),
  });
  return (
    <>
      {(Object.keys(files) as RoomFile[]).map((what) => (
        <Button
          key={what}
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          loading={save.isPending && save.variables === what}
          onClick={() => save.mutate(what)}
        >
          {t(`implementer.findings.download.${what}`)}
        </Button>
      ))}
      {save.isError && <ErrorNotice error={save.error} />}
    </>
  );
}
