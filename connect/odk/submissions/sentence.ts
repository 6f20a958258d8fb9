import type { SubmissionRow } from "../../records/tables.ts";

/** Say what happened to a record, for the person with the phone. */
export function sentenceOf({
  status,
  resultId,
  details,
}: Pick<SubmissionRow, "status" | "resultId" | "details">): string {
  const reasons = details.map(({ message }) => message).join(" ");
  switch (status) {
    case "accepted":
      return resultId === null ? "Received and accepted." : `Received and accepted: ${resultId}.`;
    case "refused":
      return `Received, but not accepted. ${reasons} Correct the record and send it again, or ask your team.`;
    case "waiting":
      return "Received. The claim is filed when all days of the test are here.";
    case "replaced":
      return "Received. A later correction has taken its place.";
    default:
      return "Received. Hearth has not written it yet; nothing is left to do.";
  }
}
