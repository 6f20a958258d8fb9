import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { base64url } from "multiformats/bases/base64";

const zip = promisify(gzip);

/**
 * `encodedList` of Bitstring Status List v1.0: the bits of `entries` set, entry 0 the leftmost bit of the first byte, GZIP,
 * base64url without padding behind its multibase prefix `u`.
 */
export async function encodeBits(entries: readonly number[], size: number): Promise<string> {
  const bits = Buffer.alloc(Math.ceil(size / 8));
  for (const entry of entries) bits[entry >> 3] = (bits[entry >> 3] ?? 0) | (0x80 >> (entry & 7));
  return base64url.encode(await zip(bits));
}
