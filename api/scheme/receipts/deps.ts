import type { Receipts } from "./receipts.ts";

/** What the services of this folder work with. */
export type ReceiptDeps = {
  receipts: Receipts;
};
