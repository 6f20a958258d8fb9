import { AppError, type ErrorCode } from "../../platform/errors.ts";

/** Build the error for one broken rule; `path` names the field. */
export function ruleError(code: ErrorCode, path: string, rule: string, message: string): AppError {
  return new AppError(code, message, { details: [{ path, rule, message }] });
}
