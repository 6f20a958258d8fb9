import { createHmac } from "node:crypto";
import { type Address, getAddress, type Hex, keccak256, stringToHex } from "viem";

/** What the registry knows an oracle by. */
export const oracleIdOf = (did: string): Hex => keccak256(stringToHex(did));

/** What the registry knows a claim by: its text, which is shorter than a word. */
export const onChainClaimId = (id: string): Hex => stringToHex(id, { size: 32 });

/**
 * What the registry knows a user by who does not pay with the account of its own DID: HMAC-SHA-256 under the scheme's key, so that
 * nobody finds the user of a deposit by trying DIDs.
 * @param schemeKey 64 hexadecimal digits
 */
export function userKeyOf(schemeKey: string, oracleDid: string, userDid: string): Hex {
  const hmac = createHmac("sha256", Buffer.from(schemeKey.replace(/^0x/, ""), "hex"));
  return `0x${hmac.update(`hearth/oracle-user/1\n${oracleDid}\n${userDid}`, "utf8").digest("hex")}`;
}

/**
 * The account that a DID is: of a did:pkh of any EVM chain, since only the key itself signs for it here; of a did:ethr on the
 * registry's own chain alone, because elsewhere another may have become its owner.
 */
export function accountOfDid(did: string, chainId: number): Address | undefined {
  const pkh = /^did:pkh:eip155:\d+:(0x[0-9a-fA-F]{40})$/.exec(did)?.[1];
  const ethr = new RegExp(`^did:ethr:(?:0x0*${chainId.toString(16)}|${chainId}):(0x[0-9a-fA-F]{40})$`, "i").exec(
    did,
  )?.[1];
  const account = pkh ?? ethr;
  return account === undefined ? undefined : getAddress(account.toLowerCase());
}
