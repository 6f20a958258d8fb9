import { Button } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { saveFile } from "../save-file.ts";

type CsvButtonProps = { request: () => Promise<Response>; name: string };

/** Save a report as CSV. */
export function CsvButton({ request, name }: CsvButtonProps) {
  const { t } = useTranslation();
  const save = useMutation({ mutationFn: () => saveFile(request(), `${name}.csv`) });
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconDownload size={16} aria-hidden />}
        loading={save.isPending}
        onClick={() => save.mutate()}
        style={{ alignSelf: "flex-start" }}
      >
        {t("regulator.reports.csv")}
      </Button>
      {save.isError && <ErrorNotice error={save.error} />}
    </>
  );
}
