import type { Detail } from "./errors.ts";

export type Page = { limit: number; after: bigint };

const standard = 50;
const most = 500;

/** Read `limit` and the opaque `cursor` of a list. */
export function pageOf(
  limit: string | undefined,
  cursor: string | undefined,
): ({ ok: true } & Page) | { ok: false; detail: Detail } {
  const size = limit === undefined ? standard : /^\d{1,4}$/.test(limit) ? Number(limit) : 0;
  if (size < 1 || size > most) {
    return { ok: false, detail: { path: "limit", rule: "range", message: `limit must be 1 to ${most}.` } };
  }
  const text = cursor === undefined ? "-1" : Buffer.from(cursor, "base64url").toString();
  if (!/^-?\d{1,24}$/.test(text)) {
    return { ok: false, detail: { path: "cursor", rule: "format", message: "cursor is none of ours." } };
  }
  return { ok: true, limit: size, after: BigInt(text) };
}

export const cursorAfter = (id: bigint): string => Buffer.from(id.toString()).toString("base64url");
