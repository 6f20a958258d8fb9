import { AppError } from "../../platform/errors.ts";

/** 409 for an id that has been registered before; `path` names the body's field. */
export function alreadyRegistered(noun: string, path: string, id: string): AppError {
  const message = `${noun} ${id} is registered already.`;
  return new AppError("CONFLICT", message, { details: [{ path, rule: "not-registered-before", message }] });
}

export function notRegistered(noun: string, id: string): AppError {
  return new AppError("NOT_FOUND", `${noun} ${id} is not registered.`);
}

/** 409 for a change to the state that a record is in, or that its state does not allow. */
export function statusConflict(message: string): AppError {
  return new AppError("CONFLICT", message, { details: [{ path: "status", rule: "status-allows", message }] });
}
