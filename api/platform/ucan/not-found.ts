import { AppError } from "../errors.ts";

/**
 * Build the same error for every file that the caller may not know of: absent, out of its path scope, hidden, trashed, purged, or
 * in another namespace. Nothing in it distinguishes these.
 */
export function notFound(): AppError {
  return new AppError("NOT_FOUND", "There is no such file here.");
}
