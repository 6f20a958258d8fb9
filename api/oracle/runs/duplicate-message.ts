import { AppError } from "../../platform/errors.ts";

/** A message with the same id was sent before. It has a turn already, so it starts no second one. */
export class DuplicateMessageError extends AppError {
  constructor(runId: string | null) {
    const message = "This message was taken before: its turn is at /runs/:runId.";
    super("CONFLICT", message, { details: [{ path: "requestId", rule: "unique", message }], extra: { runId } });
  }
}
