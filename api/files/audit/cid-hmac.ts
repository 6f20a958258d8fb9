import { createHmac, hkdfSync } from "node:crypto";

/**
 * What an event keeps of a CID: HMAC-SHA-256 of the multihash under a key derived from the file's key. Equal content of one file
 * is recognised by whoever can open the file; after the purge nobody can confirm a guess.
 * @param fileKey 32 bytes
 */
export function auditCidHmac(fileKey: Uint8Array, multihash: Uint8Array): Buffer {
  const key = Buffer.from(hkdfSync("sha256", fileKey, Buffer.alloc(0), "hearth/audit-cid/1", 32));
  return createHmac("sha256", key).update(multihash).digest();
}
