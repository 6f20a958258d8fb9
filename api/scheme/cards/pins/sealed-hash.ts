import { type SecretBox, sealedBy } from "../../../platform/secret-box.ts";

/**
 * Seals the hashes of PINs from the first rotation of the sealing key on. Until then the scheme key protects them as the key of
 * the PIN's HMAC, and that cannot be replaced without the PIN.
 */
export function hashSealing(box: SecretBox): Pick<SecretBox, "seal" | "open"> {
  return {
    seal(hash) {
      const sealed = box.seal(hash);
      return sealedBy(sealed) === undefined ? hash : sealed;
    },
    open: (text) => (sealedBy(text) === undefined ? text : box.open(text)),
  };
}
