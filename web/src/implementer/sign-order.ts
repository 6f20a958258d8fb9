import { ApiError } from "../api/error.ts";
import { signTypedData } from "../session/wallet.ts";

/** Typed data that an order's account signs, as the API asks for it. */
export type TypedDataToSign = Parameters<typeof signTypedData>[0] & { name: "permit" | "order"; signer: string };
export type OrderSignatures = { order: `0x${string}`; permit?: `0x${string}` };

/** Have the wallet sign what an order takes, one after the other. @throws what the wallet says when its owner refuses */
export async function signOrder(typedData: TypedDataToSign[]): Promise<OrderSignatures> {
  const signatures: Partial<OrderSignatures> = {};
  for (const { name, signer: _, ...data } of typedData) signatures[name] = await signTypedData(data);
  if (signatures.order === undefined) throw new Error("The API named no order to sign.");
  return { ...signatures, order: signatures.order };
}

/** An order that was signed, as it is sent: the same bytes under the same key however often. */
export type SignedOrder = { body: object; idempotencyKey: string };
/** The one that no verdict has come of, and what it was signed for. */
export type OpenOrder = { current: { of: string; order: SignedOrder } | undefined };

/**
 * Send an order for the terms in `of`, and sign a new one for them only when the last has been judged: one whose answer was lost
 * may have been carried out, and another signature would carry it out again.
 * @throws ApiError of the last try
 */
export async function sendOrder<T>(
  kept: OpenOrder,
  of: string,
  sign: () => Promise<SignedOrder>,
  send: (order: SignedOrder) => Promise<T>,
): Promise<T> {
  if (kept.current?.of !== of) kept.current = { of, order: await sign() };
  try {
    const answer = await send(kept.current.order);
    kept.current = undefined;
    return answer;
  } catch (error) {
    if (error instanceof ApiError && isJudged(error)) kept.current = undefined;
    throw error;
  }
}

function isJudged({ status, code }: ApiError): boolean {
  return status >= 400 && status < 500 && ![401, 408, 429].includes(status) && code !== "IDEMPOTENCY_IN_PROGRESS";
}
