import { createHmac } from "node:crypto";
import { type Address, getAddress, type Hex, keccak256, stringToHex } from "viem";

/** Compute the registry's id of an oracle. */
export const oracleIdOf = (did: string): Hex => keccak256(stringToHex(did));

/** Compute the registry's id of a claim: its text, which is shorter than 32 bytes. */
export const onChainClaimId = (id: string): Hex => stringToHex(id, { size: 32 });

/**
 * Compute the registry's id of a user who does not pay with the account in their DID: HMAC-SHA-256 under the scheme's key, so
 * that nobody can find the user of a deposit by trying DIDs.
 * @param schemeKey 64 hexadecimal digits
 */
export function userKeyOf(schemeKey: string, oracleDid: string, userDid: string): Hex {
  const hmac = createHmac("sha256", Buffer.from(schemeKey.replace(/^0x/, ""), "hex"));
  return `0x${hmac.update(`hearth/oracle-user/1\n${oracleDid}\n${userDid}`, "utf8").digest("hex")}`;
}

/**
 * Read the account in a DID: in a did:pkh of any EVM chain, because only its key can sign for it here; in a did:ethr only on the
 * registry's chain, because elsewhere its owner may have changed.
 */
export function accountOfDid(did: string, chainId: number): Address | undefined {
  const pkh = /^did:pkh:eip155:\d+:(0x[0-9a-fA-F]{40})$/.exec(did)?.[1];
  const ethr = new RegExp(`^did:ethr:(?:0x0*${chainId.toString(16)}|${chainId}):(0x[0-9a-fA-F]{40})$`, "i").exec(
    did,
  )?.[1];
  const account = pkh ?? ethr;
  return account === undefined ? undefined : getAddress(account.toLowerCase());
}
