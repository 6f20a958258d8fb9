import { AppError, type ErrorCode } from "../../platform/errors.ts";

/** The refusal that one rule makes; `path` names the field. */
export function refusal(code: ErrorCode, path: string, rule: string, message: string): AppError {
  return new AppError(code, message, { details: [{ path, rule, message }] });
}
