import { formIds } from "./form-ids.ts";
import type { Form } from "./question.ts";

const yesOrNo = [
  { name: "yes", label: "Yes" },
  { name: "no", label: "No" },
];
const seen = [...yesOrNo, { name: "missing", label: "No visit was possible" }];

/** Why a drawn device could not be visited, as a usage survey counts it. */
const missing = [
  { name: "absent", label: "Nobody was at home" },
  { name: "moved", label: "The household has moved" },
  { name: "refused", label: "The household refused" },
  { name: "ineligible", label: "The household does not belong to the survey" },
  { name: "incomplete", label: "The visit could not be finished" },
  { name: "other", label: "Another reason (with a photo)" },
];
/** Questions that a refusal names, too. */
export const usageLabels = {
  reason: "Why was there no visit?",
  visitedOn: "Day of the visit",
  photo: "Photo of the device, or of the place where it should be",
  proof: "Photo of what shows the reason",
};
const isVisited = "/data/seen != 'missing'";
const isMissing = "/data/seen = 'missing'";

/** A visit to a drawn device, or why there is none. */
export function usageForm(campaignId: string): Form {
  return {
    kind: "usage",
    formId: formIds.usage(campaignId),
    title: `Usage survey (${campaignId})`,
    questions: [
      { kind: "selectFrom", name: "device", list: "devices", label: "Drawn device", required: true },
      { kind: "select", name: "seen", label: "Did you see the device?", choices: seen, required: true },
      {
        kind: "select",
        name: "reason",
        label: usageLabels.reason,
        hint: "The device then counts as not in use. This is final.",
        choices: missing,
        relevant: isMissing,
        required: true,
      },
      {
        kind: "select",
        name: "in_use",
        label: "Does the household use it?",
        choices: yesOrNo,
        relevant: "/data/seen = 'yes'",
        required: true,
      },
      { kind: "date", name: "visited_on", label: usageLabels.visitedOn, relevant: isVisited, required: true },
      {
        kind: "photo",
        name: "photo",
        label: usageLabels.photo,
        relevant: isVisited,
        required: true,
      },
      { kind: "photo", name: "proof", label: usageLabels.proof, relevant: isMissing },
      { kind: "text", name: "note", label: "Note" },
    ],
  };
}
