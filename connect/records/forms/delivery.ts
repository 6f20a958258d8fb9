import { formIds } from "./form-ids.ts";
import type { Form } from "./question.ts";

/** Delivery of what a household bought with a voucher: a supplier's claim for its payment. */
export function deliveryForm(supplierDid: string): Form {
  return {
    kind: "delivery",
    formId: formIds.delivery,
    title: `Delivery (${supplierDid})`,
    questions: [
      {
        kind: "barcode",
        name: "redemption",
        label: "Redemption",
        hint: "Scan or type the redemption's id, REDM-…",
        required: true,
      },
      {
        kind: "barcode",
        name: "credential",
        label: "Delivery credential",
        hint: "Scan the code of the signed delivery credential (a compact JWT).",
        required: true,
      },
      { kind: "photo", name: "photo", label: "Photo of the delivery" },
      { kind: "signature", name: "signature", label: "Signature of who received it" },
    ],
  };
}
