/** A reader's result: rows as objects, or as lists of values in the order of the columns. */
export type Answer = { rows: unknown[]; fields: { name: string; dataTypeID: number }[] };

export type Question = {
  text: string;
  parameters: unknown[];
  /** Rows as lists. */
  asLists?: boolean;
  /** Time limit in milliseconds. */
  milliseconds: number;
  /**
   * For a statement that GraphQL made: what the statements of its query may still cost together, in units of PostgreSQL's planner, to be
   * answered by the index itself. Each statement uses up its own cost. Default: none may.
   */
  allowance?: { cost: number };
};

/** About 0.2 s of an embedded index: two scans of 100,000 rows. */
export const mostCost = 10_000;

/** Thrown when a statement has no result: it is wrong, too large or too slow. Its message is for the caller. */
export class StatementError extends Error {}

/**
 * Runs one anonymous statement with the right to read the public tables and no other, where aborting it affects nothing else. The
 * result is at least as new as the call.
 */
export type Reader = {
  /** @throws StatementError */
  ask(question: Question): Promise<Answer>;
  /** Newest block that a query now would include. */
  block(): Promise<number>;
};

export const mostBytes = 10_000_000;
export const tooLarge = `The answer has more than ${mostBytes} bytes: give the statement a LIMIT.`;
/** Whether PostgreSQL refused the statement itself, by the class of the error's code; else the database failed. */
export const isOfStatement = (error: unknown): boolean =>
  typeof (error as { code?: unknown }).code === "string" && /^(0A|2|3|42|54|P)/.test((error as { code: string }).code);

/** The result as JSON has it, in which a bigint is a string. @throws StatementError when it is too large */
export function answerOf({ rows, fields }: Answer): Answer {
  const json = JSON.stringify(
    { rows, fields: fields.map(({ name, dataTypeID }) => ({ name, dataTypeID })) },
    (_, value) => (typeof value === "bigint" ? value.toString() : value),
  );
  if (json.length > mostBytes) throw new StatementError(tooLarge);
  return JSON.parse(json) as Answer;
}

export const tooSlow = (milliseconds: number): string =>
  `The statement took longer than ${milliseconds} ms: narrow it down with WHERE or LIMIT.`;

/** Ponder's checkpoints: timestamp (10 digits), chain id (16), block number (16), … */
export const blockOf = (checkpoint: string): number => Number(checkpoint.slice(26, 42));

export const blockQuestion = "select max(latest_checkpoint) as newest from _ponder_checkpoint";
