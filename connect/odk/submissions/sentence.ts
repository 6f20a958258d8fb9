import { type ReasonLanguage, sayReason } from "../../records/reason-texts.ts";
import type { SubmissionRow } from "../../records/tables.ts";
import { say } from "../say.ts";

type Said = Pick<SubmissionRow, "status" | "resultId" | "details">;

/** Say what happened to a record, for the person with the phone. */
export function sentenceOf({ status, resultId, details }: Said, language: ReasonLanguage): string {
  if (status === "accepted") {
    return resultId === null ? say("accepted", language) : say("acceptedAs", language, { result: resultId });
  }
  const reasons = details.map((each) => sayReason(each, language)).join(" ");
  if (status === "refused") return say("refused", language, { reasons });
  return say(status === "waiting" || status === "replaced" ? status : "received", language);
}

/** Say that a record's other files are expected. */
export const incompleteSentence = (language: ReasonLanguage) => say("incomplete", language);
