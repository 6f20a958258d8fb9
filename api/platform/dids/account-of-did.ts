import { ECDH } from "node:crypto";
import { type Address, getAddress, toHex } from "viem";
import { publicKeyToAddress } from "viem/accounts";
import { keyOfDidKey } from "./did-key.ts";

/**
 * Read the account in a DID, on whatever chain: of a did:pkh of an EVM chain, of a did:ethr with an address or a public key, and of a
 * did:key with a secp256k1 key. Undefined for other DIDs. The owner of a did:ethr may have changed since.
 */
export function accountInDid(did: string): Address | undefined {
  const address = /^did:(?:pkh:eip155:\d+|ethr(?::[^:?#]+)*):(0x[0-9a-f]{40})$/i.exec(did)?.[1];
  if (address !== undefined) return getAddress(address.toLowerCase());
  const publicKey = /^did:ethr(?::[^:?#]+)*:0x(0[23][0-9a-f]{64})$/i.exec(did)?.[1];
  if (publicKey !== undefined) return accountOfKey(Buffer.from(publicKey, "hex"));
  if (!did.startsWith("did:key:")) return undefined;
  const read = keyOfDidKey(did);
  if (read?.kind !== "ES256K") return undefined;
  const { x = "", y = "" } = read.key.export({ format: "jwk" });
  return publicKeyToAddress(toHex(Buffer.concat([Buffer.from([4]), ...[x, y].map(bytesOf)])));
}

function bytesOf(coordinate: string): Buffer {
  return Buffer.from(coordinate, "base64url");
}

function accountOfKey(compressed: Buffer): Address | undefined {
  try {
    const point = ECDH.convertKey(compressed, "secp256k1", undefined, undefined, "uncompressed") as Buffer;
    return publicKeyToAddress(toHex(point));
  } catch {
    return undefined; // No point of the curve, so nobody has its key.
  }
}
