import type { OptionsOf } from "../../../wire/src/routes.ts";
import { hearth } from "../api/client.ts";
import { type Receipt, sendInOrder } from "./send-transactions.ts";

/**
 * Let the API prepare a transaction, and the wallet sign, send and pay for it. Resolves with its receipt once it is mined.
 *
 * @throws HearthError with every broken rule; WalletError; Error when the transaction fails on the chain
 */
export async function sendPrepared(options: OptionsOf<"post", "/v1/transactions/prepare">): Promise<Receipt> {
  const prepared = await hearth.post("/v1/transactions/prepare", options);
  if (!("transaction" in prepared)) throw new TypeError("The API prepared no transaction.");
  const [receipt] = await sendInOrder([prepared.transaction]);
  if (receipt === undefined) throw new Error("The wallet sent nothing.");
  return receipt;
}
