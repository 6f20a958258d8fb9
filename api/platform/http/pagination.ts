import { z } from "@hono/zod-openapi";
import { AppError, defineRules } from "../errors.ts";

/** A `?limit=` of at most `most` rows. */
export function pageSize(most: number, usual: number) {
  return z
    .string()
    .regex(/^\d{1,4}$/)
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= most, {
      message: `The limit must be from 1 to ${most}.`,
      params: { rule: "range" },
    })
    .default(usual)
    .openapi({ type: "integer", minimum: 1, maximum: most, default: usual });
}

/** `?limit=` (default 50, at most 500) and `?cursor=` of every list. Extend it with a feature's own filters. */
export const listQuery = z.strictObject({
  limit: pageSize(500, 50),
  cursor: z.string().max(512).optional().openapi({ description: "The nextCursor of the page before." }),
});

/** Build the schema of a page: `{items, nextCursor}`; nextCursor is null on the last page. */
export function page<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable() });
}

/** Encode the values that the next page starts after as an opaque cursor. */
export function encodeCursor(position: (string | number)[]): string {
  return Buffer.from(JSON.stringify(position)).toString("base64url");
}

/**
 * Decode the values of a cursor that encodeCursor returned.
 * @throws AppError INVALID_INPUT when the cursor is malformed or does not hold `length` values
 */
export function decodeCursor(cursor: string | undefined, length = 1): (string | number)[] | undefined {
  if (cursor === undefined) return undefined;
  const position = readCursor(cursor);
  if (position?.length !== length) throw foreignCursor();
  return position;
}

/** End of the year 9999, the last that ISO 8601 and PostgreSQL write alike. */
const lastTime = 253_402_300_799_999;

/**
 * Decode a cursor of a list in the order of a time, in milliseconds since 1970, and of ids.
 * @throws AppError INVALID_INPUT when the cursor is malformed, or its time is none that a database knows
 */
export function decodeTimeCursor(cursor: string | undefined): { at: Date; id: string } | undefined {
  const position = decodeCursor(cursor, 2);
  if (position === undefined) return undefined;
  const [at, id] = position;
  if (typeof at !== "number" || typeof id !== "string" || at < 0 || at > lastTime) throw foreignCursor();
  return { at: new Date(at), id };
}

const broken = defineRules({ "cursor-unknown": ["cursor", "Use the nextCursor of the page before."] });

/** Build the error for a cursor that this list did not return. */
export function foreignCursor(): AppError {
  return new AppError("INVALID_INPUT", "The cursor is not one that this list gave.", {
    details: [broken("cursor-unknown", "cursor")],
  });
}

function readCursor(cursor: string): (string | number)[] | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    const wellFormed = (item: unknown) =>
      (typeof item === "string" && !item.includes("\0")) || Number.isSafeInteger(item);
    return Array.isArray(value) && value.every(wellFormed) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Make a page from up to `limit + 1` rows. Its cursor is built from `position(last item)`. */
export function toPage<T>(
  rows: T[],
  limit: number,
  position: (row: T) => (string | number)[],
): { items: T[]; nextCursor: string | null } {
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, nextCursor: rows.length > limit && last !== undefined ? encodeCursor(position(last)) : null };
}
