/** What a reader answers: rows as objects, or as lists of values in the order of the columns. */
export type Answer = { rows: unknown[]; fields: { name: string; dataTypeID: number }[] };

export type Question = {
  text: string;
  parameters: unknown[];
  /** Rows as lists. */
  asLists?: boolean;
  /** It is ended after so many milliseconds. */
  milliseconds: number;
};

/** Why a statement has no answer: it is wrong, too large or too slow. Its message is for whoever asked. */
export class StatementError extends Error {}

/**
 * Runs one statement of a stranger with the rights to read the public tables and no other, where nothing but the
 * statement itself is stopped when it is ended. An answer is at least as new as the question.
 */
export type Reader = {
  /** @throws StatementError */
  ask(question: Question): Promise<Answer>;
  /** Newest block that an answer of now would stand for. */
  block(): Promise<number>;
};

export const mostBytes = 10_000_000;
export const tooLarge = `The answer has more than ${mostBytes} bytes: give the statement a LIMIT.`;
export const tooSlow = (milliseconds: number): string =>
  `The statement took longer than ${milliseconds} ms: narrow it down with WHERE or LIMIT.`;

/** Ponder's checkpoints: timestamp (10 digits), chain id (16), block number (16), … */
export const blockOf = (checkpoint: string): number => Number(checkpoint.slice(26, 42));

export const blockQuestion = "select max(latest_checkpoint) as newest from _ponder_checkpoint";
