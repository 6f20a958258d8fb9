import { createHmac, createSecretKey, hkdfSync } from "node:crypto";
import type { FileKey } from "../keys/key-types.ts";

/**
 * The audit's trace of a CID: HMAC-SHA-256 of the multihash under a key derived from the file's key. Anyone who can read the file
 * recognises equal content; after a purge nobody can test a guessed content against it.
 */
export function auditCidHmac(fileKey: FileKey, multihash: Uint8Array): Buffer {
  const bytes = hkdfSync("sha256", fileKey, Buffer.alloc(0), "hearth/audit-cid/1", 32);
  const key = createSecretKey(Buffer.from(bytes));
  return createHmac("sha256", key).update(multihash).digest();
}
