import { fillIn } from "../../api/platform/errors.ts";
import { xmlProblems } from "../records/parse-xml.ts";
import type { ReasonLanguage } from "../records/reason-texts.ts";
import translated from "./sentences.json" with { type: "json" };

const english = {
  // What happened to a record.
  accepted: "Received and accepted.",
  acceptedAs: "Received and accepted: {result}.",
  refused: "Received, but not accepted. {reasons} Correct the record and send it again, or ask your team.",
  waiting: "Received. The claim is filed when all days of the test are here.",
  replaced: "Received. A later correction has taken its place.",
  received: "Received. Hearth has not written it yet; nothing is left to do.",
  incomplete: "Stored. More files of this record are expected.",
  // Who may send.
  linkInvalid: "This link is not valid: it was revoked or mistyped. Scan a new code.",
  keyRevoked: "The API key of this link was revoked. Scan a new code.",
  enterPassword: "Enter the user name and password of the collector.",
  passwordWrong: "The user name or the password is wrong. Enter the user name and password of the collector.",
  userEnded: "This user name was ended. Ask for a new one.",
  sentTooLate: "This request was sent before, or too late. Send it again.",
  otherAddress: "The Authorization header was made for another address.",
  notDigest: "The Authorization header is not HTTP Digest with MD5 and qop=auth: {part} is wrong.",
  otherSite: "A page of another site may not use the password of a collector.",
  formNotAllowed: "This link may not send the form {form}.",
  // Forms.
  noForm: "There is no form {form}, or its campaign is closed.",
  noFile: "The form has no file {file}.",
  formVersionUnknown: "Version {version} of the form {form} is not known here. Update the forms on the phone.",
  campaignClosed: "The campaign {campaign} is closed: it takes no more records.",
  nothingHere: "There is nothing at this address. Scan the code again.",
  // A request that is not a record.
  byPost: "Records are sent by POST.",
  notMultipart: "A record is sent as multipart/form-data.",
  boundaryMissing: "The boundary of the multipart body is missing.",
  cutOff: "The record did not arrive whole. Send it again.",
  tooSlow: "The body took too long to arrive. Send it again.",
  manyFiles: "A request may have at most {limit} files.",
  bodyTooLarge: "A request may have at most {limit} bytes. Send the record in parts.",
  fileTooLarge: "The file {file} is larger than {limit} bytes.",
  oneRecord: "A request has one record (xml_submission_file).",
  recordFirst: "The record (xml_submission_file) must come before its files.",
  recordMissing: "The record (xml_submission_file) is missing.",
  formUnsaid: "The record does not say of which form it is.",
  noInstanceId: "The record has no instanceID.",
  encryptedRecord:
    "The record is encrypted by the phone. Use the forms of this link: their records are sent over https.",
  notPhoto: "{file} is not a photo: take it again, then send the record.",
  ...xmlProblems,
  // A record that is stored already.
  deletedByTeam: "This record was deleted by the team.",
  otherRecord: "Another record with this instanceID is stored. To correct it, edit the finished record.",
  editedUnknown: "The record that this one corrects is not known here.",
  editedGone: "The record that this one corrects was already corrected or deleted.",
  otherFile: "The record was written already with another file {file}, which cannot change.",
  // Not now.
  manyTogether: "A link sends at most {limit} records at the same time. Nothing is lost: send again later.",
  manyRequests: "Too many requests in a minute. Nothing is lost: send again later.",
  notNow: "Hearth cannot answer now. Nothing is lost: send again later.",
  // Why Hearth refused, in the phone's language where it is known.
  because: "{reasons}",
};
/** A sentence for the person with the phone. */
export type Sentence = keyof typeof english;
export type SentenceValues = Record<string, string | number>;

/** All sentences. */
export const sentences = Object.keys(english) as Sentence[];

/** Say a sentence in a language. */
export function say(sentence: Sentence, language: ReasonLanguage, values: SentenceValues = {}): string {
  if (language === "en" || sentence === "because") return fillIn(english[sentence], values);
  return fillIn(translated[sentence][language], values);
}
