import { fillIn } from "../../../api/platform/errors.ts";
import { type ReasonLanguage, sayReason } from "../../records/reason-texts.ts";
import type { SubmissionRow } from "../../records/tables.ts";
import translated from "./sentences.json" with { type: "json" };

const english = {
  accepted: "Received and accepted.",
  acceptedAs: "Received and accepted: {result}.",
  refused: "Received, but not accepted. {reasons} Correct the record and send it again, or ask your team.",
  waiting: "Received. The claim is filed when all days of the test are here.",
  replaced: "Received. A later correction has taken its place.",
  received: "Received. Hearth has not written it yet; nothing is left to do.",
  incomplete: "Stored. More files of this record are expected.",
};
type Sentence = keyof typeof english;
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

function say(sentence: Sentence, language: ReasonLanguage, values: Record<string, string> = {}): string {
  return fillIn(language === "en" ? english[sentence] : translated[sentence][language], values);
}
