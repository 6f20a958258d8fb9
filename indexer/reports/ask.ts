export type SqlRow = Record<string, unknown>;

/** Run one SELECT with parameters $1, $2, …. Reports read only through it, from the indexer's database or a test's. */
export type Ask = (text: string, params?: readonly unknown[]) => Promise<SqlRow[]>;

/** Drivers return wide integers as text, number or bigint. */
export const big = (value: unknown): bigint => BigInt(String(value));
export const bigOrNull = (value: unknown): bigint | null => (value === null || value === undefined ? null : big(value));
export const int = (value: unknown): number => Number(value);
export const text = (value: unknown): string => String(value);
export const textOrNull = (value: unknown): string | null =>
  value === null || value === undefined ? null : text(value);

/** The rows' last block. */
export type Standing = { block: bigint /** Seconds since 1970. */; timestamp: bigint };

/**
 * SQL for the index's last block. The same statement may read rows too, because a block's rows and its number are written
 * together.
 */
export const standingColumn = '(select max(latest_checkpoint) from "_ponder_checkpoint") as standing';

/** Read `standingColumn`: digits of timestamp (10), chain (16), block (16) and more. */
export function standingOf(value: unknown): Standing {
  const digits = text(value);
  if (!/^\d{75}$/.test(digits)) throw new Error("The index has no last block");
  return { timestamp: BigInt(digits.slice(0, 10)), block: BigInt(digits.slice(26, 42)) };
}

export async function readStanding(ask: Ask): Promise<Standing> {
  const [row] = await ask(`select ${standingColumn}`);
  return standingOf(row?.standing);
}

/** Position in chain order after every event of a block, see `activity.sequence`. */
export const endOf = (block: bigint): bigint => (block + 1n) << 24n;
