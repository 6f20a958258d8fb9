import type { ReactNode } from "react";

export type Column<Row> = {
  key: string;
  header: string;
  cell: (row: Row) => ReactNode;
  /** Width of the column in rem; 10rem when absent. What is left over is shared in the same proportion. */
  width?: string;
  /** `end` for numbers. */
  align?: "end";
  /** True: left out on a phone. */
  wideOnly?: boolean;
  /** Name of the field that a press on the header sorts by; absent: it does not. */
  sortBy?: string;
};

export type Sort = { by: string; direction: "asc" | "desc" };
