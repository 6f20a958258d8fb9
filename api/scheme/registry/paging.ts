import { AppError } from "../../platform/errors.ts";
import { decodeCursor } from "../../platform/http/index.ts";

/** Greatest value of a column of type integer. */
const MAX_INDEX = 2_147_483_647;

/**
 * Read the index that a page starts after, 0 for the first page.
 * @throws AppError INVALID_INPUT for a cursor of another list
 */
export function indexAfter(cursor: string | undefined): number {
  const after = decodeCursor(cursor)?.[0] ?? 0;
  if (typeof after === "number" && after >= 0 && after <= MAX_INDEX) return after;
  throw new AppError("INVALID_INPUT", "The cursor is not one that this list gave.", {
    details: [{ path: "cursor", rule: "cursor", message: "Use the nextCursor of the page before." }],
  });
}
