import { Button, Group, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { ErrorNotice } from "../../show/error-notice.tsx";
import { LazyMenu } from "../../show/lazy-menu.tsx";
import { saveAs } from "../../show/save-as.ts";
import type { Column } from "../column.ts";
import type { Rows } from "../rows.ts";
import type { FileFormat } from "./write-table.ts";

type DownloadMenuProps<Row> = {
  /** Name of the table, and of the file. */
  label: string;
  columns: Column<Row>[];
  rows: Rows<Row>;
  rowKey: (row: Row) => string;
};

const formats = { csv: "CSV", xlsx: "XLSX" } as const;

/** Downloads all rows of a table with its filters and order, and shows the progress. */
export function DownloadMenu<Row>({ label, columns, rows, rowKey }: DownloadMenuProps<Row>) {
  const { t } = useTranslation();
  const [count, setCount] = useState(0);
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const { pages, total, hasMore } = rows;
  const save = useMutation({
    mutationFn: async (format: FileFormat) => {
      if (pages === undefined) return;
      const control = new AbortController();
      running.current = control;
      setCount(0);
      try {
        const { writeTable } = await import("./write-table.ts");
        const { signal } = control;
        const file = await writeTable({ columns, rowKey, pages }, format, { signal, onRows: setCount });
        saveAs(file, `${label.toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "-")}.${format}`);
      } catch (error) {
        if (!control.signal.aborted) throw error;
      }
    },
  });
  if (pages === undefined || total === 0) return null;
  return (
    <Group gap="sm">
      {save.isPending && (
        <>
          <Text size="sm" role="status">
            {hasMore || total === undefined
              ? t("common.table.savedSoFar", { count })
              : t("common.table.saved", { count, total })}
          </Text>
          <Button variant="subtle" size="compact-sm" onClick={() => running.current?.abort()}>
            {t("common.cancel")}
          </Button>
        </>
      )}
      <LazyMenu
        target={
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<IconDownload size={16} aria-hidden />}
            loading={save.isPending}
            aria-label={t("common.table.download", { table: label })}
          >
            {t("common.download")}
          </Button>
        }
        entries={(Object.keys(formats) as FileFormat[]).map((format) => ({
          label: formats[format],
          onClick: () => save.mutate(format),
        }))}
      />
      {save.isError && <ErrorNotice error={save.error} />}
    </Group>
  );
}
