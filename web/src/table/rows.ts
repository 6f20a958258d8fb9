/** Rows that a table asks for as they come into sight. */
export type Rows<Row> = {
  /** How many there are in all, as far as it is known; undefined before the first answer. */
  total: number | undefined;
  /** The row at a place; undefined while it is fetched. */
  at: (index: number) => Row | undefined;
  /** The table shows these places now (`to` exclusive). */
  show: (from: number, to: number) => void;
  error: Error | null;
  retry: () => void;
};
