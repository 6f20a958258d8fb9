import { type CodedRule, defineRules, type RuleDetail, type RuleValues } from "../../api/platform/errors.ts";

/** Why a record was refused. `code` and `values` let a page say it in the reader's language; other reasons have the message only. */
export type Reason = RuleDetail;

/** Reasons that are found before Hearth is asked. */
const sentences = {
  "no-answer": ["required", '"{question}" has no answer.'],
  "not-whole": ["range", '"{question}": a whole number from {min} to {max} is expected.'],
  "not-decimal": ["range", '"{question}": a number from {min} to {max} with at most {decimals} decimals is expected.'],
  "not-date": ["date", '"{question}": a date is expected.'],
  "not-time": ["timestamp", '"{question}": a date and time with its zone is expected.'],
  "not-place": ["point", '"{question}": a place is expected: latitude, longitude, altitude, accuracy.'],
  "not-choice": ["choice", '"{question}": the answer is none of the choices.'],
  "not-did": ["pattern", '"{question}": A DID is expected, such as did:example:household/7.'],
  "not-photo": ["photo", "{name} is not a photo."],
  "use-unknown": ["required", "The record does not say whether the device is used."],
  "day-taken": ["visit-days", "Day {day} of this household is here already. To correct it, edit that record."],
  "test-incomplete": [
    "visit-days",
    "No claim was filed: the visits of day {days} of this household's test did not come.",
  ],
  "moisture-incomplete": [
    "moisture-readings",
    "The moisture of {fuel} needs nine readings: three pieces at three points each.",
  ],
  "moisture-missing": ["moisture-given", "Campaign {campaignId} counts dry mass: the moisture of {fuel} is missing."],
  "fuel-twice": ["fuel-once", "A visit can weigh {fuel} only once."],
  "end-too-large": ["weighing-balance", "There is more {fuel} at the end than at the start plus what was added."],
  "corrected-deleted": ["deleted", "The record that this one corrects was deleted by the team."],
  "edited-first": ["edited-once", "Another edit of the same record came first. Edit that one."],
  "accepted-before": ["accepted-once", "The record was accepted already and cannot change."],
  "no-more-records": ["campaign-open", "The campaign {campaignId} is closed: it takes no more records."],
  "no-device-drawn": ["position-drawn", "No device was drawn at position {position}."],
  "deleted-by-team": ["deleted", "{reason}"],
  "record-abandoned": ["deleted", "Nobody corrected or completed this record for {days} days, so it was abandoned."],
  "other-reason": ["refused", "{message}"],
} as const;
export type ReasonCode = keyof typeof sentences;

/** State a reason. Its English message is made from its code and values. */
export const because = defineRules(sentences) as (
  code: ReasonCode,
  path: string | undefined,
  values?: RuleValues,
) => CodedRule;
