/** Rows that a table asks for as they come into sight. */
export type Rows<Row> = {
  /** How many there are in all, as far as it is known; undefined before the first answer. */
  total: number | undefined;
  /** True: there are more than `total`, nobody knows yet how many. */
  hasMore?: boolean;
  /** Changes when other rows are listed, or in another order: the table begins at its top again. */
  list?: string;
  /** The row at a place; undefined while it is fetched. */
  at: (index: number) => Row | undefined;
  /** The table shows these places now (`to` exclusive). */
  show: (from: number, to: number) => void;
  error: Error | null;
  retry: () => void;
};
