import { signTypedData } from "../../session/wallet.ts";

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
