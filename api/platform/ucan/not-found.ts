import { AppError } from "../errors.ts";

/**
 * The one answer for what the caller may not know of: absent, out of its path scope, hidden, trashed, purged, or another
 * namespace's. Nothing in it tells these apart.
 */
export function notFound(): AppError {
  return new AppError("NOT_FOUND", "There is no such file here.");
}
