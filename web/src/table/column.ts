import type { ReactNode } from "react";

export type Column<Row> = {
  key: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** What a downloaded file has in this column; absent: nothing, unless no column of the table has it. */
  text?: (row: Row) => string | number | bigint | boolean | null | undefined;
  /** Width of the column in rem; 10rem when absent. Remaining space is shared in proportion. */
  width?: string;
  /** `end` for numbers. */
  align?: "end";
  /** True: omitted on a phone. */
  wideOnly?: boolean;
  /** Field that the column sorts by when its header is pressed; absent: not sortable. */
  sortBy?: string;
};

export type Sort = { by: string; direction: "asc" | "desc" };
