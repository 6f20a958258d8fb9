import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";

/** Encrypts secrets for the database with a separate key for each purpose, derived from the sealing keys. */
export type SecretPurpose = "webhook" | "draw" | "notification" | "collector" | "pin" | "code" | "room";

/** Keys from which those of each purpose are derived; 64 hexadecimal digits each. */
export type SealingKeys = {
  /** Makes the keyed hashes, which never change. It is also the first sealing key. */
  scheme: string;
  /** Seals what is written now: the scheme key until the first rotation. */
  current: string;
  /** Open what was sealed before. */
  previous: readonly string[];
};

export type SecretBox = {
  /** Encrypt with the current key. The text begins with the key's id and a point, unless that is the scheme key. */
  seal(secret: string): string;
  /** @throws Error when the text was sealed by a key that is not there, or was altered */
  open(sealed: string): string;
  /** Keyed hash, to find an equal secret without storing it. */
  hash(secret: string): string;
};

/** The keys before the first rotation. @param schemeKey 64 hexadecimal digits */
export function sealingKeysOf(schemeKey: string): SealingKeys {
  return { scheme: schemeKey, current: schemeKey, previous: [] };
}

/** Name a key without revealing it: 16 hexadecimal digits. */
export function sealingKeyId(key: string): string {
  return Buffer.from(hkdfSync("sha256", bytesOf(key), "", "hearth sealing key id", 8)).toString("hex");
}

/** The id of the key that sealed a text; undefined for the scheme key. */
export function sealedBy(sealed: string): string | undefined {
  const end = sealed.indexOf(".");
  return end < 0 ? undefined : sealed.slice(0, end);
}

/** Create the encryption of one purpose's secrets. */
export function createSecretBox({ scheme, current, previous }: SealingKeys, purpose: SecretPurpose): SecretBox {
  const derive = (root: string, kind: "secrets" | "hashes") =>
    Buffer.from(hkdfSync("sha256", bytesOf(root), "", `hearth ${purpose} ${kind}`, 32));
  const hashKey = derive(scheme, "hashes");
  const keys = new Map([current, ...previous].map((root) => [idIn(scheme, root), derive(root, "secrets")]));
  if (!keys.has(undefined)) keys.set(undefined, derive(scheme, "secrets"));
  const currentId = idIn(scheme, current);
  const keyOf = (id: string | undefined): Buffer => {
    const key = keys.get(id);
    if (key === undefined) throw new Error(`This is sealed with the key ${id}, which SEALING_KEYS_PREVIOUS lacks.`);
    return key;
  };
  return {
    seal(secret) {
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", keyOf(currentId), nonce);
      const sealed = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
      const text = Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url");
      return currentId === undefined ? text : `${currentId}.${text}`;
    },
    open(sealed) {
      const id = sealedBy(sealed);
      const bytes = Buffer.from(id === undefined ? sealed : sealed.slice(id.length + 1), "base64url");
      const decipher = createDecipheriv("aes-256-gcm", keyOf(id), bytes.subarray(0, 12));
      decipher.setAuthTag(bytes.subarray(12, 28));
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
    },
    hash: (secret) => createHmac("sha256", hashKey).update(secret, "utf8").digest("hex"),
  };
}

/** How sealed texts name a key: not at all for the scheme key, because texts from before the first rotation have no id. */
function idIn(scheme: string, key: string): string | undefined {
  return bytesOf(key).equals(bytesOf(scheme)) ? undefined : sealingKeyId(key);
}

function bytesOf(key: string): Buffer {
  return Buffer.from(key.replace(/^0x/, ""), "hex");
}
