import { domainFields } from "../../../../wire/src/typed-data.ts";
import { askWallet, findWallets } from "../../session/wallet.ts";
import {
  authorizationToSign,
  createNonce,
  type HouseholdAuthorization,
  type RedemptionTerms,
} from "../household-authorization.ts";
import { ledgerDomain } from "../redeem/use-voucher.ts";

/** How long a household's signature is valid: a week without network is common in the field. */
const validSeconds = 30 * 86_400;

/**
 * Let the household sign in a wallet on this device. This works without a network if any voucher was looked up before,
 * since the contract's address is then known.
 *
 * @throws Error when there is no wallet, or its owner refuses; ApiError when the contract is not known yet
 */
export async function signConsent(
  terms: Omit<RedemptionTerms, "nonce" | "deadline">,
  now: number,
): Promise<HouseholdAuthorization> {
  const domain = await ledgerDomain(terms.voucherId);
  const [wallet] = await findWallets();
  if (wallet === undefined) throw new Error("NO_WALLET");
  const [account] = await askWallet<string[]>(wallet.provider, "eth_requestAccounts");
  const nonce = createNonce();
  const deadline = Math.floor(now / 1000) + validSeconds;
  const { types, ...typedData } = authorizationToSign({ ...terms, nonce, deadline }, domain);
  // Wallets read the domain's fields from here, and sign an empty domain without them.
  const text = JSON.stringify({ ...typedData, types: { EIP712Domain: domainFields, ...types } });
  const signature = await askWallet<`0x${string}`>(wallet.provider, "eth_signTypedData_v4", [account, text]);
  return { signature, nonce: `${nonce}`, deadline };
}
