import { formIds } from "./form-ids.ts";
import type { Form } from "./question.ts";

const didPattern = {
  regex: "^did:[a-z0-9]+:[!-~]+$",
  message: "A DID is expected, such as did:example:household/7.",
  code: "not-did" as const,
};
const persons = (name: string, label: string) => ({ kind: "integer" as const, name, label, min: 0, max: 999 });

/** Registration of a household. Its place is shown to its own team. Photo and signature are stored as evidence. Nothing of it is public. */
export const householdForm: Form = {
  kind: "household",
  formId: formIds.household,
  title: "Register a household",
  questions: [
    {
      kind: "barcode",
      name: "did",
      label: "Household's DID",
      hint: "Scan or type the identifier that was given to this household.",
      required: true,
      pattern: didPattern,
    },
    { kind: "text", name: "region", label: "Region" },
    {
      kind: "group",
      name: "people",
      label: "Who lives in the household",
      questions: [
        persons("children", "Children up to 14"),
        persons("women", "Women over 14"),
        persons("men", "Men from 15 to 59"),
        persons("elderly", "Men over 59"),
      ],
    },
    { kind: "geopoint", name: "place", label: "Place of the kitchen" },
    { kind: "photo", name: "photo", label: "Photo of the kitchen" },
    { kind: "signature", name: "consent", label: "Signature: I agree to take part" },
  ],
};
