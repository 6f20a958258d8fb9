import { HearthError } from "../../../wire/src/errors.ts";

/** The error of a request that got no answer. Pages write its message in the reader's language. */
export function offlineError(): HearthError {
  return new HearthError({ status: 0, code: "OFFLINE", message: "" });
}

/** Whether a request got no answer. */
export function isOffline(error: unknown): boolean {
  return error instanceof HearthError && error.status === 0;
}

/**
 * Whether a write that failed may have been carried out: no answer, a busy server, a first attempt that still runs, or
 * an API key that must be entered again. Such a write is sent again unchanged.
 */
export function isUndecided(error: HearthError): boolean {
  return error.isPassing || error.status === 401 || error.status >= 500;
}
