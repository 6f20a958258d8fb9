import { HearthError } from "../../../../wire/src/errors.ts";
import { formatScaled } from "../../../../wire/src/exact.ts";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";
import { serverNow } from "../../api/server-time.ts";
import { type RedemptionBody, redemptionBody } from "../household-authorization.ts";
import { type AskedPurchase, askedPurchase, forgetPurchase, keepPurchase } from "./asked-purchase.ts";

/** How long a household has to answer, until the service says it. */
const usualMs = 15 * 60_000;

/**
 * Ask the household's phone to approve a purchase. It is kept on this device before it is sent: when the answer is lost, the household
 * may have been asked, so the purchase is not over until its request is found.
 *
 * @throws HearthError when the household was not asked
 */
export async function askPhone(
  order: Pick<RedemptionBody, "voucherId" | "supplierDid" | "productId" | "amount">,
  productName: string,
): Promise<AskedPurchase> {
  const { voucherId, supplierDid, amount } = order;
  const asked: AskedPurchase = {
    // Each purchase has its own key, so that none gets the answer to an earlier one that is alike.
    key: `supplier.phone-request-${crypto.randomUUID()}`,
    body: redemptionBody(order),
    supplierDid,
    voucherId,
    productName,
    amount: formatScaled(amount, 6),
    until: new Date(serverNow() + usualMs).toISOString(),
  };
  keepPurchase(asked);
  try {
    await findRequest(asked);
  } catch (error) {
    if (!isRefused(error)) return asked;
    forgetPurchase(supplierDid);
    throw error;
  }
  return asked;
}

/** Id of a purchase's request. When its answer was lost, the request is sent again with the same key. @throws HearthError */
export async function findRequest(asked: AskedPurchase): Promise<string> {
  const known = keptOf(asked)?.requestId;
  if (known !== undefined) return known;
  const { key, body } = asked;
  const { requestId, expiresAt } = await hearth.post("/v1/phones/requests", { json: body, idempotencyKey: key });
  if (keptOf(asked) !== undefined) keepPurchase({ ...asked, requestId, until: expiresAt });
  return requestId;
}

/**
 * Cancel a purchase's request, unless the household has answered it.
 *
 * @returns the request as it is now; undefined when there is none
 * @throws HearthError when it is not known whether the household can still agree
 */
export async function cancelPurchase(asked: AskedPurchase): Promise<Schemas["PhoneRequest"] | undefined> {
  try {
    const requestId = await findRequest(asked);
    return await hearth.post("/v1/phones/requests/{requestId}/cancel", { path: { requestId } });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** Until when the household of a purchase can agree, in ISO 8601. */
export const untilOf = (asked: AskedPurchase): string => (keptOf(asked) ?? asked).until;

/** The purchase as it is kept; undefined when the person is done with it. */
function keptOf({ supplierDid, key }: AskedPurchase): AskedPurchase | undefined {
  const kept = askedPurchase(supplierDid);
  return kept?.key === key ? kept : undefined;
}

/** Whether the service answered that it does not do what was asked; asking again does not help by itself. */
export function isRefused(error: unknown): boolean {
  if (!(error instanceof HearthError) || error.code === "IDEMPOTENCY_IN_PROGRESS") return false;
  return error.status >= 400 && error.status < 500 && error.status !== 408;
}

/** Whether the service knows no such request: it broke a rule when it was sent, or it is not this supplier's. */
const isMissing = (error: unknown) => isRefused(error) && [400, 404, 409].includes((error as HearthError).status);
