import { parseEventLogs } from "viem";
import { claimsAbi } from "../../../deployments/abi/claims.ts";
import { vouchersAbi } from "../../../deployments/abi/vouchers.ts";
import { encodeClaimId, encodeRedemptionId } from "../../../wire/src/ids.ts";
import { request } from "../api/request.ts";
import { sendInOrder, type UnsignedTransaction } from "../session/send-transactions.ts";
import type { Presented } from "./claims/read-credential.ts";
import { type RedemptionBody, redemptionBody } from "./household-authorization.ts";

type Prepared = { transaction: UnsignedTransaction };

/**
 * Redeem by a transaction of the supplier's own account, which the wallet signs, sends and pays for. Resolves with the
 * redemption's id.
 * @throws ApiError with every rule that it would break; WalletError; Error when the ledger refuses it after all
 */
export async function redeemByWallet(body: RedemptionBody): Promise<string> {
  // The amount's own digits, as in a redemption through the API.
  const text = `{"action":"redeem",${redemptionBody(body).slice(1)}`;
  const receipt = await send({ body: text, contentType: "application/json" });
  const [event] = parseEventLogs({ abi: vouchersAbi, eventName: "VoucherRedeemed", logs: receipt.logs as never });
  if (event === undefined) throw new Error(`Transaction ${receipt.transactionHash} redeemed nothing.`);
  return encodeRedemptionId(event.args.redemption);
}

/** File a delivery claim by a transaction of the supplier's own account. Resolves with the claim's id. @throws as redeemByWallet */
export async function claimByWallet(redemptionId: string, verifiableCredential: Presented): Promise<string> {
  const receipt = await send({ body: { action: "claim", redemptionId, verifiableCredential } });
  const [event] = parseEventLogs({ abi: claimsAbi, eventName: "ClaimFiled", logs: receipt.logs as never });
  if (event === undefined) throw new Error(`Transaction ${receipt.transactionHash} claimed nothing.`);
  return encodeClaimId(event.args.redemption);
}

async function send(body: { body: unknown; contentType?: string }) {
  const { transaction } = await request<Prepared>("POST", "/v1/transactions/prepare", body);
  const [receipt] = await sendInOrder([transaction]);
  if (receipt === undefined) throw new Error("The wallet sent nothing.");
  return receipt;
}
