import { bases } from "multiformats/basics";
import { CID } from "multiformats/cid";
import * as raw from "multiformats/codecs/raw";
import { create as createDigest } from "multiformats/hashes/digest";
import { AppError } from "../errors.ts";
import type { MultihashKey } from "./grant.ts";

export type ParsedCid = { cid: CID; key: MultihashKey };

/** Bytes of a block in the profile unixfs-v1-2025. */
export const blockSize = 1 << 20;

const sha256Code = 0x12;
const identityCode = 0x00;
/** sha2-256, sha2-512, sha3-512/384/256/224, blake2b-256, blake3, sha2-512/256: hashes of published CIDs. Only sha2-256 is ever ours. */
const knownHashes = new Set([sha256Code, 0x13, 0x14, 0x15, 0x16, 0x17, 0xb220, 0x1e, 0x1015]);
const longestIdentity = 128;
/** Longest accepted text: the largest identity CID in base2. */
const longestText = 1_200;
const decoders = new Map(Object.values(bases).map((base) => [base.prefix as string, base.decoder]));

/**
 * Read a CID in any multibase, v0 or v1.
 * @throws AppError INVALID_INPUT when it is malformed, has an unknown hash function, or is an identity CID of more than 128 bytes
 */
export function parseCid(text: string, field = "cid"): ParsedCid {
  const cid = decodeCid(text);
  if (cid === undefined) throw invalidCid(field, "cid", "must be a CID in a multibase encoding");
  const { code, size } = cid.multihash;
  if (code === identityCode && size > longestIdentity) {
    throw invalidCid(field, "identity-size", `must not hold more than ${longestIdentity} bytes itself`);
  }
  if (code !== identityCode && !knownHashes.has(code)) {
    throw invalidCid(field, "known-hash", `uses the hash function 0x${code.toString(16)}, which is not known here`);
  }
  if (code === sha256Code && size !== 32) throw invalidCid(field, "digest-size", "must hold 32 bytes of SHA-256");
  return { cid, key: multihashKey(cid) };
}

/** Check whether parseCid accepts the text. */
export function isCid(text: string): boolean {
  try {
    return parseCid(text).key !== "";
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/** Return the key by which CIDs are compared: lower-case hexadecimal of the multihash. */
export function multihashKey(cid: CID): MultihashKey {
  return Buffer.from(cid.multihash.bytes).toString("hex");
}

/** Return the CID of content in one raw block, at most 1 MiB. */
export function rawCid(sha256: Uint8Array): CID {
  return CID.createV1(raw.code, createDigest(sha256Code, sha256));
}

/** Return the SHA-256 of the bytes of a CID of one raw block, 64 hexadecimal digits; undefined for any other text. */
export function rawDigestOf(text: string): string | undefined {
  if (!isCid(text)) return undefined;
  const { code, multihash } = parseCid(text).cid;
  const isOurs = code === raw.code && multihash.code === sha256Code;
  return isOurs ? Buffer.from(multihash.digest).toString("hex") : undefined;
}

/**
 * Calculate the CID (profile unixfs-v1-2025) of content whose 1 MiB blocks have these SHA-256 digests, in order.
 * @param size bytes of the whole content
 */
export async function contentCid(digests: readonly Uint8Array[], size: number): Promise<CID> {
  const [only] = digests;
  if (digests.length === 1 && only !== undefined) return rawCid(only);
  const sizeOf = (index: number) => (index < digests.length - 1 ? blockSize : size - index * blockSize);
  let index = 0;
  // Most files have one block, so the library is loaded with the first larger one.
  const { importFile } = await import("ipfs-unixfs-importer");
  // The blocks are hashed already: the importer gets the digests as chunks and builds the tree above them.
  const { cid } = await importFile({ content: inOrder(digests) }, discard, {
    profile: "unixfs-v1-2025",
    chunker: (source) => source,
    bufferImporter: async function* (file) {
      for await (const digest of file.content) {
        const leaf = { cid: rawCid(digest), size: BigInt(sizeOf(index++)), block: digest };
        yield async () => leaf;
      }
    },
  });
  return cid;
}

async function* inOrder(digests: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* digests;
}

/** Discards what the importer stores, because only the root's CID is needed. */
const discard = { put: (cid: CID) => cid };

function decodeCid(text: string): CID | undefined {
  if (text.length < 2 || text.length > longestText) return undefined;
  try {
    const version0 = text.length === 46 && text.startsWith("Qm");
    const decoder = version0 ? bases.base58btc.decoder : decoders.get(String.fromCodePoint(text.codePointAt(0) ?? 0));
    return decoder === undefined ? undefined : CID.parse(text, decoder);
  } catch {
    return undefined;
  }
}

function invalidCid(path: string, rule: string, message: string): AppError {
  return new AppError("INVALID_INPUT", "The CID is not valid.", { details: [{ path, rule, message }] });
}
