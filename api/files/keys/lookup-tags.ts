import { createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes } from "node:crypto";
import type { MultihashKey } from "../../platform/ucan/index.ts";
import type { GroupSecret } from "./key-types.ts";

/** Makes the lookup tags of one key group: HMACs that are meaningless without its secret. */
export type Tagger = {
  /** For a CID's multihash. */
  cid(multihash: MultihashKey): Buffer;
  /** A signed 64-bit number for a word. */
  word(word: string): bigint;
};

const cidTagBytes = 16;

/** Create a tag that no CID has. */
export function randomTag(): Buffer {
  return randomBytes(cidTagBytes);
}

const taggers = new WeakMap<GroupSecret, Tagger>();

export function taggerOf(secret: GroupSecret): Tagger {
  const known = taggers.get(secret);
  if (known !== undefined) return known;
  const cidKey = derive(secret, "hearth/cid-tag/1");
  const wordKey = derive(secret, "hearth/word-tag/1");
  const tagger: Tagger = {
    cid: (multihash) => createHmac("sha256", cidKey).update(multihash, "hex").digest().subarray(0, cidTagBytes),
    word: (word) => createHmac("sha256", wordKey).update(word, "utf8").digest().readBigInt64BE(0),
  };
  taggers.set(secret, tagger);
  return tagger;
}

function derive(secret: GroupSecret, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync("sha256", secret, Buffer.alloc(0), purpose, 32)));
}
