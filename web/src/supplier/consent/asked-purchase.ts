import { keep, kept } from "../../session/vault.ts";

/** A purchase that a household is asked to approve by phone, as this device keeps it until the person is done with it. */
export type AskedPurchase = {
  /** Idempotency-Key of the request: when the answer is lost, the request is found with it. */
  key: string;
  /** Body of the request. */
  body: string;
  /** Undefined until an answer came. */
  requestId?: string;
  supplierDid: string;
  voucherId: string;
  productName: string;
  amount: string;
  /** Until when the household can agree, in ISO 8601. */
  until: string;
};

const nameOf = (supplierDid: string) => `supplier.phone-request.${supplierDid}`;

/** The purchase that this till asked about, and with which the person is not done. */
export function askedPurchase(supplierDid: string): AskedPurchase | undefined {
  return kept<AskedPurchase>(nameOf(supplierDid));
}

/** Keep a purchase, so that its answer is still shown after a reload. */
export function keepPurchase(asked: AskedPurchase): void {
  keep(nameOf(asked.supplierDid), asked);
}

/** Forget the purchase: the person is done with it, or the household was not asked. */
export function forgetPurchase(supplierDid: string): void {
  keep(nameOf(supplierDid), undefined);
}
