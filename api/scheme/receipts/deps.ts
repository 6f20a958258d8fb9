import type { Receipts } from "./receipts.ts";

/** Dependencies of the services in this folder. */
export type ReceiptDeps = {
  receipts: Receipts;
};
