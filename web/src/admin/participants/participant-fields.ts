import type { Kind } from "../../participants/use-participant.ts";

/** Whether a text has the form of an account: 0x and 40 hexadecimal digits. */
export function isAccount(text: string): boolean {
  return /^0x[0-9a-fA-F]{40}$/.test(text);
}

/** Whether a text has the form of a DID with something after its last slash. */
export function isDid(text: string): boolean {
  return text.length <= 256 && /^did:[a-z0-9]+:\S*[^\s/:]$/.test(text);
}

/** A DID for a participant that has none yet, made from its name: `Stove Shop` → `did:ixo:supplier/stove-shop`. */
export function didOfName(kind: Kind, name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  const words = plain.replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
  return `did:ixo:${kind}/${words}`;
}
