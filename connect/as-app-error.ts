import { AppError, type ErrorCode, statusByCode } from "../api/platform/errors.ts";
import { HearthError } from "../wire/src/index.ts";

/** Turn an error of the API's client into the same error of a route; anything else stays as it is. */
export function asAppError(thrown: unknown): unknown {
  if (!(thrown instanceof HearthError)) return thrown;
  const { code, message, details } = thrown;
  if (!(code in statusByCode)) return thrown;
  return new AppError(code as ErrorCode, message, { details: [...details], cause: thrown });
}
