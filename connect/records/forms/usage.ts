import { formIds } from "./form-ids.ts";
import type { Form } from "./question.ts";

const yesOrNo = [
  { name: "yes", label: "Yes" },
  { name: "no", label: "No" },
];

/** A visit to a drawn device. */
export function usageForm(campaignId: string): Form {
  return {
    kind: "usage",
    formId: formIds.usage(campaignId),
    title: `Usage survey (${campaignId})`,
    questions: [
      { kind: "selectFrom", name: "device", list: "devices", label: "Drawn device", required: true },
      { kind: "select", name: "seen", label: "Did you see the device?", choices: yesOrNo, required: true },
      {
        kind: "select",
        name: "in_use",
        label: "Does the household use it?",
        choices: yesOrNo,
        relevant: "/data/seen = 'yes'",
        required: true,
      },
      { kind: "date", name: "visited_on", label: "Day of the visit", required: true },
      {
        kind: "photo",
        name: "photo",
        label: "Photo of the device, or of the place where it should be",
        required: true,
      },
      { kind: "text", name: "note", label: "Note" },
    ],
  };
}
