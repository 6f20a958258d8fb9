import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";

/** Encrypts secrets for the database with a separate key for each purpose, derived from the scheme's. */
export type SecretPurpose = "webhook" | "draw" | "notification" | "collector" | "pin" | "code" | "room";
export type SecretBox = {
  seal(secret: string): string;
  /** @throws Error when the text was not sealed by this key, or was altered */
  open(sealed: string): string;
  /** Keyed hash, to find an equal secret without storing it. */
  hash(secret: string): string;
};

/** Create the encryption of one purpose's secrets. @param schemeKey 64 hexadecimal digits */
export function createSecretBox(schemeKey: string, purpose: SecretPurpose): SecretBox {
  const root = Buffer.from(schemeKey.replace(/^0x/, ""), "hex");
  const key = Buffer.from(hkdfSync("sha256", root, "", `hearth ${purpose} secrets`, 32));
  const hashKey = Buffer.from(hkdfSync("sha256", root, "", `hearth ${purpose} hashes`, 32));
  return {
    seal(secret) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      const sealed = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url");
    },
    open(sealed) {
      const bytes = Buffer.from(sealed, "base64url");
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
    },
    hash: (secret) => createHmac("sha256", hashKey).update(secret, "utf8").digest("hex"),
  };
}
