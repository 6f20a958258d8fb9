import { keep, kept } from "../../session/vault.ts";

const name = "supplier.phone-request";

/** A purchase that a household was asked to approve by phone, as this device keeps it until the person is done with it. */
export type AskedPurchase = {
  requestId: string;
  supplierDid: string;
  voucherId: string;
  productName: string;
  amount: string;
};

/** The purchase that this till asked about last; undefined for another supplier. */
export function askedPurchase(supplierDid: string): AskedPurchase | undefined {
  const asked = kept<AskedPurchase>(name);
  return asked?.supplierDid === supplierDid ? asked : undefined;
}

/** Keep the purchase, so that its answer is still shown after a reload; undefined: the person is done with it. */
export function keepPurchase(asked: AskedPurchase | undefined): void {
  keep(name, asked);
}
