import { formIds } from "./form-ids.ts";
import type { Form } from "./question.ts";

/** Installation of a device in a household of the list. */
export function deviceForm(planId: string): Form {
  return {
    kind: "device",
    formId: formIds.device(planId),
    title: `Install a device (${planId})`,
    questions: [
      { kind: "selectFrom", name: "household", list: "households", label: "Household", required: true },
      { kind: "barcode", name: "serial", label: "Serial number of the device", required: true },
      { kind: "text", name: "model", label: "Model", required: true },
      { kind: "date", name: "installed_on", label: "Day of the installation", required: true },
      { kind: "geopoint", name: "place", label: "Place of the device" },
      { kind: "photo", name: "photo", label: "Photo of the installed device" },
    ],
  };
}
