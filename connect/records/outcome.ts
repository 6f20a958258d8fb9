import type { HearthError } from "../../wire/src/index.ts";
import type { Answers } from "./answers.ts";
import type { RecordDeps } from "./deps.ts";
import { because, type Reason } from "./reasons.ts";
import type { SignedIn } from "./source.ts";
import type { SubmissionRow } from "./tables.ts";

/** A record with its answers, for the functions that write it to Hearth. */
export type Work = { deps: RecordDeps; signedIn: SignedIn; row: SubmissionRow; answers: Answers };
export type Outcome = Pick<SubmissionRow, "status" | "resultId" | "details">;

export function accepted(resultId: string): Outcome {
  return { status: "accepted", resultId, details: [] };
}

export function refused(details: Reason[]): Outcome {
  return { status: "refused", resultId: null, details };
}

/** Whether Hearth has decided, so that the same record would be refused again. */
export function isRefusal({ status, isPassing }: HearthError): boolean {
  return status >= 400 && status < 500 && status !== 401 && !isPassing;
}

/** Every rule that a refusal names; the sentence of one that names none. */
export function rulesOf({ code, message, details }: HearthError): Reason[] {
  if (details.length > 0) return [...details];
  return [{ ...because("other-reason", undefined, { message }), rule: code.toLowerCase().replaceAll("_", "-") }];
}
