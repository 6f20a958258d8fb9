import type { Detail } from "./errors.ts";

/** Position in both lists: the id of the last voucher, and of the last KPT claim of a campaign's trace. */
export type Page = { limit: number; after: bigint; claimsAfter: bigint };

const standard = 50;
const most = 500;
const first = "-1.-1";

/** Read `limit` and the opaque `cursor` of a list. */
export function pageOf(
  limit: string | undefined,
  cursor: string | undefined,
): ({ ok: true } & Page) | { ok: false; detail: Detail } {
  const size = limit === undefined ? standard : /^\d{1,4}$/.test(limit) ? Number(limit) : 0;
  if (size < 1 || size > most) {
    return { ok: false, detail: { path: "limit", rule: "range", message: `limit must be 1 to ${most}.` } };
  }
  const text = cursor === undefined ? first : Buffer.from(cursor, "base64url").toString();
  const ids = /^(-1|\d{1,29})\.(-1|\d{1,29})$/.exec(text);
  if (ids === null) {
    return { ok: false, detail: { path: "cursor", rule: "format", message: "cursor was not returned by this list." } };
  }
  return { ok: true, limit: size, after: BigInt(ids[1] ?? 0), claimsAfter: BigInt(ids[2] ?? 0) };
}

/** The cursor after the last voucher and the last KPT claim of a page; null when both lists have ended. */
export function cursorAfter(page: Page, vouchers: { id: bigint }[], claims: { id: bigint }[]): string | null {
  if (vouchers.length < page.limit && claims.length < page.limit) return null;
  const ids = [vouchers.at(-1)?.id ?? page.after, claims.at(-1)?.id ?? page.claimsAfter];
  return Buffer.from(ids.join(".")).toString("base64url");
}

/** The cursor after a position in an order of CARBON; null at the end. */
export function cursorBehind(page: Page, place: bigint | null): string | null {
  return place === null ? null : Buffer.from(`${place}.${page.claimsAfter}`).toString("base64url");
}
