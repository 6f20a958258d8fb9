import { AppError } from "../../platform/errors.ts";

/** A message that its user has sent before, under the same id: it has its turn, and gets no second one. */
export class MessageTakenError extends AppError {
  constructor(runId: string | null) {
    const message = "This message was taken before: its turn is at /runs/:runId.";
    super("CONFLICT", message, { details: [{ path: "requestId", rule: "unique", message }], extra: { runId } });
  }
}
