import type { RefObject } from "react";
import type { Rows } from "../rows.ts";
import { DownloadMenu } from "./download-menu.tsx";
import { rowsShownIn, type ShownRow } from "./shown-table.ts";

type TableDownloadProps = {
  /** Name of the table, and of the file. */
  label: string;
  /** What the table is in. */
  frame: RefObject<HTMLElement | null>;
};

/** Downloads a table that is on the page as a whole, as CSV or XLSX. */
export function TableDownload({ label, frame }: TableDownloadProps) {
  const places = new Map<ShownRow, string>();
  const rows: Rows<ShownRow> = {
    total: undefined,
    at: () => undefined,
    show: () => {},
    error: null,
    retry: () => {},
    pages: async function* () {
      const table = frame.current?.querySelector("table");
      if (table === null || table === undefined) throw new Error(`There is no table in ${label}.`);
      const shown = rowsShownIn(table, label);
      for (const [place, row] of shown.entries()) places.set(row, String(place));
      yield shown;
    },
  };
  return <DownloadMenu label={label} columns={[]} rows={rows} rowKey={(row) => places.get(row) ?? ""} />;
}
