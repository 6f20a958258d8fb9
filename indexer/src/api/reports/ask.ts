import { db } from "ponder:api";
import { sql } from "ponder";
import type { Ask, SqlRow } from "../../../reports/ask.ts";

const plain = (value: unknown): unknown => (typeof value === "bigint" ? value.toString() : value);

/** Bind the numbered parameters of a report's statement. */
function bind(text: string, params: readonly unknown[]): ReturnType<typeof sql.raw> {
  const parts = text.split(/\$(\d+)/);
  return sql.join(parts.map((part, i) => (i % 2 === 0 ? sql.raw(part) : sql`${plain(params[Number(part) - 1])}`)));
}

/** Ask the indexer's own database. */
export const ask: Ask = async (text, params = []) => (await db.execute(bind(text, params))).rows as SqlRow[];
