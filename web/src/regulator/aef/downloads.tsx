import { Button, Checkbox, Group, Stack } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { saveFile } from "../save-file.ts";
import type { ReportQuery } from "./report.ts";

const formats = [
  { format: "xlsx", label: "XLSX", ending: "xlsx" },
  { format: "csv", label: "CSV (zip)", ending: "zip" },
  { format: "json", label: "JSON", ending: "json" },
];

/** Downloads of a report. A report with problems can be downloaded only as a draft. */
export function Downloads({ query, isRefused }: { query: ReportQuery; isRefused: boolean }) {
  const { t } = useTranslation();
  const [isDraft, setDraft] = useState(false);
  const download = useMutation({
    mutationFn: ({ format, ending }: (typeof formats)[number]) => {
      const draft = isDraft && format !== "json" ? ("true" as const) : undefined;
      const sending = hearth.raw("get", "/reports/aef", { query: { ...query, format, draft } });
      return saveFile(sending, `aef-${query.party}-${query.year}.${ending}`);
    },
  });
  return (
    <Stack gap="sm">
      <Group>
        {formats.map((each) => (
          <Button
            key={each.format}
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            disabled={isRefused && !isDraft && each.format !== "json"}
            loading={download.isPending && download.variables.format === each.format}
            onClick={() => download.mutate(each)}
          >
            {`${t("regulator.aef.download")} ${each.label}`}
          </Button>
        ))}
        {isRefused && (
          <Checkbox
            label={t("regulator.aef.draft")}
            checked={isDraft}
            onChange={(event) => setDraft(event.currentTarget.checked)}
          />
        )}
      </Group>
      {download.isError && <ErrorNotice error={download.error} />}
    </Stack>
  );
}
