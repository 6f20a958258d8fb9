import { privateKeyToAccount } from "viem/accounts";
import { householdCodeSecret } from "../../../../wire/src/household-code.ts";
import type { SigningContract } from "../../../../wire/src/typed-data.ts";
import { digestHex } from "../../numbers/hex.ts";
import { authorizationToSign, type CodeConsent, type RedemptionTerms } from "../household-authorization.ts";

/** How long an order with a code is valid: a week without network is common in the field. */
const validSeconds = 30 * 86_400;

/**
 * Sign an order with the key of a household's one-time code. The order says nothing of the code itself, and needs no network.
 *
 * @param code as `readHouseholdCode` returns it
 * @throws RangeError when the id is not a voucher's
 */
export async function signWithCode(
  code: string,
  terms: Omit<RedemptionTerms, "nonce" | "deadline">,
  domain: SigningContract,
  now: number,
): Promise<CodeConsent> {
  const account = privateKeyToAccount(`0x${await digestHex(householdCodeSecret(code), 32)}`);
  const nonce = BigInt(account.address);
  const deadline = Math.floor(now / 1000) + validSeconds;
  const signature = await account.signTypedData(authorizationToSign({ ...terms, nonce, deadline }, domain));
  return { type: "code", signature, nonce: `${nonce}`, deadline };
}
