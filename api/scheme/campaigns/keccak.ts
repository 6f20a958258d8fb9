import { createKeccak } from "hash-wasm";

const hasher = await createKeccak(256);

/** Keccak-256 of some bytes. For frames, which have hundreds of thousands of hashes: eight times as quick as plain JavaScript. */
export function keccak(bytes: Uint8Array): Uint8Array {
  return hasher.init().update(bytes).digest("binary");
}
