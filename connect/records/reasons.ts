import type { RuleDetail } from "../../api/platform/errors.ts";
import { kptMessages } from "../../wire/src/kpt-rules.ts";

/** Why a record was refused. `code` and `values` let a page say it in the reader's language; other reasons have the message only. */
export type Reason = RuleDetail & { code?: string; values?: ReasonValues };
export type ReasonValues = Record<string, string | number>;

/** Each reason that has a code: its rule, and its English sentence with the names of its values in braces. */
const sentences = {
  noAnswer: ["required", '"{question}" has no answer.'],
  notWhole: ["range", '"{question}": a whole number from {min} to {max} is expected.'],
  notDecimal: ["range", '"{question}": a number from {min} to {max} with at most {decimals} decimals is expected.'],
  notDate: ["date", '"{question}": a date is expected.'],
  notTime: ["timestamp", '"{question}": a date and time with its zone is expected.'],
  notPlace: ["point", '"{question}": a place is expected: latitude, longitude, altitude, accuracy.'],
  notChoice: ["choice", '"{question}": the answer is none of the choices.'],
  notPhoto: ["photo", "{name} is not a photo."],
  useUnknown: ["required", "The record does not say whether the device is used."],
  dayTaken: ["visit-days", "Day {day} of this household is here already. To correct it, edit that record."],
  moistureIncomplete: [
    "moisture-readings",
    "The moisture of {fuel} needs nine readings: three pieces at three points each.",
  ],
  fuelTwice: ["fuel-once", "A visit can weigh {fuel} only once."],
  moreLeft: ["weighing-balance", "There is more {fuel} at the end than at the start plus what was added."],
  correctedDeleted: ["deleted", "The record that this one corrects was deleted by the team."],
  editedFirst: ["edited-once", "Another edit of the same record came first. Edit that one."],
  acceptedBefore: ["accepted-once", "The record was accepted already and cannot change."],
  noMoreRecords: ["campaign-open", "The campaign {campaignId} is closed: it takes no more records."],
  noDeviceDrawn: ["position-drawn", "No device was drawn at position {position}."],
  // Of the API's routes.
  householdTwice: ["not-registered-before", "Household {id} is registered already."],
  deviceTwice: ["not-registered-before", "Device {id} is registered already."],
  householdUnknown: ["household-registered", "Household {id} is not registered."],
  campaignNotOpen: ["campaign-open", "Campaign {campaignId} is {status}."],
  positionTwice: ["position-recorded-once", "Position {position} has its record already."],
  visitNotCome: ["days-have-come", "The day of the visit has not come yet."],
  visitTooEarly: ["visit-after-frame", "The devices are surveyed from {day} on."],
  notPositive: ["positive-values", kptMessages.notPositive],
  dayNotCome: ["days-have-come", kptMessages.dayNotCome],
  dayOutside: ["visit-days", kptMessages.visitDayOutside],
  nothingBurnt: ["positive-values", kptMessages.nothingBurnt],
  moistureOutside: ["moisture-range", kptMessages.moistureOutside],
  noOpenSample: ["random-selection-verified", kptMessages.noOpenSample],
  notDrawn: ["random-selection-verified", kptMessages.notDrawn],
  notInFrame: ["random-selection-verified", kptMessages.notInFrame],
  otherGroup: ["random-selection-verified", kptMessages.otherGroup],
  wasReplaced: ["random-selection-verified", kptMessages.wasReplaced],
  isMissing: ["random-selection-verified", kptMessages.isMissing],
  notInSample: ["random-selection-verified", kptMessages.notInSample],
  noReference: ["control-group-present", kptMessages.noReference],
  outsideCampaign: ["timing-aligned", kptMessages.outsideCampaign],
  noSharedDay: ["timing-aligned", kptMessages.noSharedDay],
} as const satisfies Record<string, readonly [rule: string, sentence: string]>;
export type ReasonCode = keyof typeof sentences;
export const reasonCodes = Object.keys(sentences) as ReasonCode[];

/** State a reason. Its English message is made from its code and values. */
export function because(code: ReasonCode, path: string, values: ReasonValues = {}): Reason {
  const [rule, sentence] = sentences[code];
  const message = sentence.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name]));
  return { path, rule, message, code, values };
}

/** Longest message that is compared with the sentences, in characters. */
const mostCompared = 1_000;
const patterns = reasonCodes.map((code) => {
  const [rule, sentence] = sentences[code];
  const parts = sentence.split(/\{(\w+)\}/);
  const source = parts.map((part, i) => (i % 2 === 0 ? part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") : "(.+?)")).join("");
  return { code, rule, names: parts.filter((_, i) => i % 2 === 1), pattern: new RegExp(`^${source}$`) };
});

/** Add the code and values of a broken rule that the API named, where its rule and sentence are known. */
export function withCode(detail: RuleDetail): Reason {
  if (detail.message.length > mostCompared) return detail;
  for (const { code, rule, names, pattern } of patterns) {
    const found = rule === detail.rule ? pattern.exec(detail.message) : null;
    if (found === null) continue;
    return { ...detail, code, values: Object.fromEntries(names.map((name, i) => [name, found[i + 1] ?? ""])) };
  }
  return detail;
}
