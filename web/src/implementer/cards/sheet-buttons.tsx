import { Button, Group } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { hearth } from "../../api/client.ts";
import { saveFile } from "../../regulator/save-file.ts";
import { ErrorNotice } from "../../show/error-notice.tsx";

/** Download the sheets of a batch to print: 10 or 8 cards on a page. */
export function SheetButtons({ batchId }: { batchId: string }) {
  const { t } = useTranslation();
  const save = useMutation({
    mutationFn: (perSheet: "8" | "10") =>
      saveFile(
        hearth.raw("get", "/v1/card-batches/{batchId}/sheets", { path: { batchId }, query: { perSheet } }),
        `cards ${batchId}.pdf`,
      ),
  });
  return (
    <Group gap="xs">
      {(["10", "8"] as const).map((perSheet) => (
        <Button
          key={perSheet}
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          loading={save.isPending && save.variables === perSheet}
          onClick={() => save.mutate(perSheet)}
        >
          {t("implementer.cards.sheets", { cards: perSheet })}
        </Button>
      ))}
      {save.isError && <ErrorNotice error={save.error} />}
    </Group>
  );
}
