/** Rows that a table requests as they become visible. */
export type Rows<Row> = {
  /** Number of rows as far as known; undefined before the first answer. */
  total: number | undefined;
  /** True: there are more than `total`, but their number is unknown. */
  hasMore?: boolean;
  /** Changes with the filters or the order: the table then scrolls to its top. */
  list?: string;
  /** The row at an index; undefined while it is loading. */
  at: (index: number) => Row | undefined;
  /** The table calls this with the visible range (`to` exclusive). */
  show: (from: number, to: number) => void;
  /** Reads all rows page by page, for a download. */
  pages?: (signal: AbortSignal) => AsyncIterable<Row[]>;
  error: Error | null;
  retry: () => void;
};
