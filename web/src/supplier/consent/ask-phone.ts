import { sendOnce } from "../../api/attempt.ts";
import { hearth } from "../../api/client.ts";
import { type RedemptionBody, redemptionBody } from "../household-authorization.ts";
import { type AskedPurchase, keepPurchase } from "./asked-purchase.ts";

/** Ask the household's phone to approve a purchase. A lost answer is asked for again with the same key. @throws HearthError */
export async function askPhone(
  order: Pick<RedemptionBody, "voucherId" | "supplierDid" | "productId" | "amount">,
  productName: string,
): Promise<AskedPurchase> {
  const json = redemptionBody(order);
  const { requestId, voucherId, supplierDid, amount } = await sendOnce(
    "supplier.phone-request",
    json,
    (idempotencyKey) => hearth.post("/v1/phones/requests", { json, idempotencyKey }),
  );
  const asked: AskedPurchase = { requestId, voucherId, supplierDid, productName, amount: String(amount) };
  keepPurchase(asked);
  return asked;
}
