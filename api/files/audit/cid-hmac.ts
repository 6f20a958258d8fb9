import { createHmac, createSecretKey, hkdfSync } from "node:crypto";
import type { FileKey } from "../keys/key-types.ts";

/**
 * What an event keeps of a CID: HMAC-SHA-256 of the multihash under a key derived from the file's key. Equal content of one file
 * is recognised by whoever can open the file; after the purge nobody can confirm a guess.
 */
export function auditCidHmac(fileKey: FileKey, multihash: Uint8Array): Buffer {
  const bytes = hkdfSync("sha256", fileKey, Buffer.alloc(0), "hearth/audit-cid/1", 32);
  const key = createSecretKey(Buffer.from(bytes));
  return createHmac("sha256", key).update(multihash).digest();
}
