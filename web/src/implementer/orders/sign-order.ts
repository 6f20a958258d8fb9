import type { Schemas } from "../../../../wire/src/routes.ts";
import { signTypedData } from "../../session/wallet.ts";

type TypedDataToSign = Schemas["TypedDataToSign"];
export type OrderSignatures = { order: `0x${string}`; permit?: `0x${string}` };

/** Let the wallet sign all parts of an order, one after the other. @throws the wallet's error when its owner refuses */
export async function signOrder(typedData: TypedDataToSign[]): Promise<OrderSignatures> {
  const signatures: Partial<OrderSignatures> = {};
  for (const { name, signer: _, ...data } of typedData) signatures[name] = await signTypedData(data);
  if (signatures.order === undefined) throw new Error("The API named no order to sign.");
  return { ...signatures, order: signatures.order };
}
