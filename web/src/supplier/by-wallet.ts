import { parseEventLogs } from "viem";
import { claimsAbi } from "../../../deployments/abi/claims.ts";
import { vouchersAbi } from "../../../deployments/abi/vouchers.ts";
import { encodeClaimId, encodeRedemptionId } from "../../../wire/src/ids.ts";
import { sendPrepared } from "../session/send-prepared.ts";
import type { Presented } from "./claims/read-credential.ts";
import { type RedemptionBody, redemptionBody } from "./household-authorization.ts";

/**
 * Redeem with a transaction that the supplier's wallet signs, sends and pays for. Resolves with the redemption's id.
 *
 * @throws ApiError with every broken rule; WalletError; Error when the contract refuses it later
 */
export async function redeemByWallet(body: RedemptionBody): Promise<string> {
  // The amount keeps its digits, as in a redemption through the API.
  const text = `{"action":"redeem",${redemptionBody(body).slice(1)}`;
  const receipt = await sendPrepared({ json: text });
  const [event] = parseEventLogs({ abi: vouchersAbi, eventName: "VoucherRedeemed", logs: receipt.logs as never });
  if (event === undefined) throw new Error(`Transaction ${receipt.transactionHash} redeemed nothing.`);
  return encodeRedemptionId(event.args.redemption);
}

/** File a delivery claim with a transaction of the supplier's account. Resolves with the claim's id. @throws as redeemByWallet */
export async function claimByWallet(redemptionId: string, verifiableCredential: Presented): Promise<string> {
  const receipt = await sendPrepared({ body: { action: "claim", redemptionId, verifiableCredential } });
  const [event] = parseEventLogs({ abi: claimsAbi, eventName: "ClaimFiled", logs: receipt.logs as never });
  if (event === undefined) throw new Error(`Transaction ${receipt.transactionHash} claimed nothing.`);
  return encodeClaimId(event.args.redemption);
}
