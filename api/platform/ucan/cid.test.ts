import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { MemoryBlockstore } from "blockstore-core";
import { importBytes } from "ipfs-unixfs-importer";
import { bases } from "multiformats/basics";
import { CID } from "multiformats/cid";
import { create as createDigest } from "multiformats/hashes/digest";
import { OpenBlobs, seededBytes, storeTestContent } from "../../../test/support/files/content.ts";
import { AppError } from "../errors.ts";
import { parseCid } from "./cid.ts";

const hello = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
const mebibyte = 1 << 20;

/** Published for the profile unixfs-v1-2025 in IPIP-499 and in kubo's and js-ipfs-unixfs's tests. */
const published = [
  { size: mebibyte, seed: "chunk-v1-seed", cid: "bafkreiacndfy443ter6qr2tmbbdhadvxxheowwf75s6zehscklu6ezxmta" },
  { size: mebibyte + 1, seed: "chunk-v1-seed", cid: "bafybeigmix7t42i6jacydtquhet7srwvgpizfg7gjbq7627d35mjomtu64" },
  { size: 1024 * mebibyte, seed: "v1-2025-seed", cid: "bafybeihmf37wcuvtx4hpu7he5zl5qaf2ineo2lqlfrapokkm5zzw7zyhvm" },
  {
    size: 1024 * mebibyte + 1,
    seed: "v1-2025-seed",
    cid: "bafybeibdsi225ugbkmpbdohnxioyab6jsqrmkts3twhpvfnzp77xtzpyhe",
  },
];

class NoBlobs extends OpenBlobs {
  override async put(_key: string, source: AsyncIterable<Uint8Array>) {
    let size = 0;
    for await (const part of source) size += part.length;
    return { size };
  }
}

function refusal(text: string): string {
  try {
    parseCid(text);
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === "INVALID_INPUT");
    return error.details.map(({ rule }) => rule).join();
  }
  return "";
}

test("gives small content and empty content the CID of one raw block", async () => {
  const stored = await storeTestContent(new OpenBlobs(), Buffer.from("hello world"));
  assert.equal(stored.cid.toString(), hello);
  assert.equal(stored.contentHash, `sha256-${createHash("sha256").update("hello world").digest("base64")}`);
  const empty = await storeTestContent(new OpenBlobs(), Buffer.alloc(0));
  assert.equal(empty.cid.toString(), "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku");
  assert.deepEqual([empty.size, empty.segments], [0, 1]);
});

for (const { size, seed, cid } of published) {
  const long = size > 2 * mebibyte && process.env.HEARTH_LONG !== "1";
  test(`gives ${size} bytes the published CID`, { skip: long && "only in the long form" }, async () => {
    const stored = await storeTestContent(new NoBlobs(), seededBytes(size, seed));
    assert.equal(stored.cid.toString(), cid);
  });
}

test("gives content of any length the CID that the library gives it with a block store", async () => {
  for (const size of [1, mebibyte - 1, 2 * mebibyte, 3 * mebibyte + 17, 10 * mebibyte]) {
    const bytes = randomBytes(size);
    const { cid } = await importBytes(bytes, new MemoryBlockstore(), { profile: "unixfs-v1-2025" });
    assert.equal((await storeTestContent(new OpenBlobs(), bytes)).cid.toString(), cid.toString(), `${size} bytes`);
  }
});

test("reads a CID alike in every multibase and codec, version 0 included", () => {
  const cid = CID.parse(hello);
  const { key } = parseCid(hello);
  assert.equal(key, `1220${createHash("sha256").update("hello world").digest("hex")}`);
  for (const base of Object.values(bases)) assert.equal(parseCid(cid.toString(base.encoder)).key, key, base.name);
  assert.equal(parseCid(CID.createV1(0x70, cid.multihash).toString()).key, key);
  assert.equal(parseCid(CID.createV0(cid.multihash as never).toString()).key, key);
});

test("refuses what is not a CID", () => {
  const broken = [
    "",
    "b",
    "bafkrei",
    "hello world",
    `${hello}a`,
    hello.slice(1),
    "?afkrei",
    "Qm".padEnd(46, "0"),
    `b${"a".repeat(5_000)}`,
  ];
  for (const text of broken) assert.equal(refusal(text), "cid", text.slice(0, 60));
});

test("refuses alike in every multibase what holds more than 128 bytes itself or hashes in an unknown way", () => {
  const identity = (size: number) => CID.createV1(0x55, createDigest(0, randomBytes(size)));
  const unknown = CID.createV1(0x55, createDigest(0x9999, randomBytes(32)));
  for (const { encoder } of Object.values(bases)) {
    assert.equal(refusal(identity(129).toString(encoder)), "identity-size");
    assert.equal(refusal(unknown.toString(encoder)), "known-hash");
    assert.equal(refusal(identity(128).toString(encoder)), "");
  }
});

test("refuses a CID whose digest has another length than its hash function's", () => {
  for (const size of [0, 20, 31, 33])
    assert.equal(refusal(CID.createV1(0x55, createDigest(0x12, randomBytes(size))).toString()), "digest-size");
});
