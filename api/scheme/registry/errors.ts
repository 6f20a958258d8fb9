import { AppError } from "../../platform/errors.ts";

/** Build the 409 for an id that is registered already; `path` is the field in the body. */
export function alreadyRegistered(noun: string, path: string, id: string): AppError {
  const message = `${noun} ${id} is registered already.`;
  return new AppError("CONFLICT", message, { details: [{ path, rule: "not-registered-before", message }] });
}

export function notRegistered(noun: string, id: string): AppError {
  return new AppError("NOT_FOUND", `${noun} ${id} is not registered.`);
}

/** Build the 409 for a request that the current state does not allow. */
export function ruleConflict(rule: string, message: string): AppError {
  return new AppError("CONFLICT", message, { details: [{ rule, message }] });
}

/** Build the 409 for a change that the record's status does not allow, or that it has already. */
export function statusConflict(message: string): AppError {
  return new AppError("CONFLICT", message, { details: [{ path: "status", rule: "status-allows", message }] });
}
