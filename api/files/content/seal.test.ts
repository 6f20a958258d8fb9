import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { buildDecrypt } from "@aws-crypto/decrypt-node";
import { buildEncrypt } from "@aws-crypto/encrypt-node";
import { AlgorithmSuiteIdentifier, CommitmentPolicy } from "@aws-crypto/material-management-node";
import { RawAesKeyringNode, RawAesWrappingSuiteIdentifier } from "@aws-crypto/raw-aes-keyring-node";
import { OpenBlobs, readTestContent, storeTestContent, testFileId } from "../../../test/support/files/content.ts";
import type { VersionKey } from "../keys/key-types.ts";
import { newKey } from "../keys/key-wrap.ts";
import { readContent } from "./read-content.ts";
import { BadSegmentError, createSealer } from "./seal.ts";
import { sealedHeaderSize, sealedSegmentSize, sealedSize, sealOverhead, segmentSize } from "./segments.ts";

const place = { fileId: testFileId, version: 1, index: 0, last: true };
const isBad = (error: unknown) => error instanceof BadSegmentError;

async function threeSegments() {
  const blobs = new OpenBlobs();
  const bytes = randomBytes(2 * segmentSize + 1_000);
  const stored = await storeTestContent(blobs, bytes);
  const sealed = blobs.bytes(stored.blob);
  const segments = [0, 1, 2].map((index) =>
    sealed.subarray(index * sealedSegmentSize, (index + 1) * sealedSegmentSize),
  );
  const readAs = (changed: Uint8Array[]) => {
    blobs.kept.set(stored.blob, Buffer.concat(changed));
    return readTestContent(blobs, stored);
  };
  return { blobs, bytes, stored, segments: segments as [Buffer, Buffer, Buffer], readAs };
}

test("adds the same to every length of plaintext, and the same header", async () => {
  const sealer = createSealer(newKey<VersionKey>());
  for (const length of [0, 1, 4_096, segmentSize - 1, segmentSize]) {
    const sealed = Buffer.concat(await sealer.seal(place, randomBytes(length)));
    assert.equal(sealed.length, length + sealOverhead);
    // The one frame begins after the header: the mark of a final frame, then its number.
    assert.equal(sealed.subarray(sealedHeaderSize, sealedHeaderSize + 8).toString("hex"), "ffffffff00000001");
  }
});

test("seals messages that the library opens by itself, and opens those that it makes", async () => {
  const key = newKey<VersionKey>();
  const keyring = new RawAesKeyringNode({
    keyNamespace: "hearth-files",
    keyName: "version",
    unencryptedMasterKey: new Uint8Array(key.export()),
    wrappingSuite: RawAesWrappingSuiteIdentifier.AES256_GCM_IV12_TAG16_NO_PADDING,
  });
  const policy = { commitmentPolicy: CommitmentPolicy.REQUIRE_ENCRYPT_REQUIRE_DECRYPT, maxEncryptedDataKeys: 1 };
  const library = { ...buildEncrypt(policy), ...buildDecrypt(policy) };
  const suiteId = AlgorithmSuiteIdentifier.ALG_AES256_GCM_IV12_TAG16_HKDF_SHA512_COMMIT_KEY;
  const encryptionContext = { file: testFileId, version: "0000000001", segment: "0000000000", last: "1" };
  for (const length of [0, 1, 4_096, segmentSize]) {
    const plaintext = randomBytes(length);
    const sealed = Buffer.concat(await createSealer(key).seal(place, plaintext));
    const opened = await library.decrypt(keyring, sealed);
    assert.ok(opened.plaintext.equals(plaintext), `${length} bytes`);
    assert.equal(opened.messageHeader.suiteId, suiteId);
    assert.deepEqual({ ...opened.messageHeader.encryptionContext }, encryptionContext);
    const options = { suiteId, encryptionContext, frameLength: 2 * segmentSize };
    const { result } = await library.encrypt(keyring, plaintext, options);
    assert.ok(Buffer.concat(await createSealer(key).open(place, [result])).equals(plaintext), `${length} bytes`);
  }
});

test("seals each segment with its own data key", async () => {
  const sealer = createSealer(newKey<VersionKey>());
  const plaintext = randomBytes(32);
  const sealed = await Promise.all([1, 2].map(async () => Buffer.concat(await sealer.seal(place, plaintext))));
  // Besides the fixed fields of the header nothing is alike: wrapped key, commitment, ciphertext and tags.
  const end = (bytes: Buffer | undefined) => bytes?.subarray(-48).toString("hex");
  assert.notEqual(end(sealed[0]), end(sealed[1]));
});

for (const length of [0, 60]) {
  test(`detects every flipped bit and every cut of a segment of ${length} bytes`, async () => {
    const sealer = createSealer(newKey<VersionKey>());
    const plaintext = randomBytes(length);
    const sealed = Buffer.concat(await sealer.seal(place, plaintext));
    assert.ok(Buffer.concat(await sealer.open(place, [sealed])).equals(plaintext));
    await assert.rejects(sealer.open(place, [sealed, Buffer.alloc(1)]), isBad, "a byte added");
    for (let at = 0; at < sealed.length; at += 1) {
      const changed = Buffer.from(sealed);
      changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
      await assert.rejects(sealer.open(place, [changed]), isBad, `a flipped bit in byte ${at}`);
      await assert.rejects(sealer.open(place, [sealed.subarray(0, at)]), isBad, `cut at ${at}`);
    }
  });
}

test("detects a flipped bit in the frame around a full segment", async () => {
  const sealer = createSealer(newKey<VersionKey>());
  const sealed = Buffer.concat(await sealer.seal(place, randomBytes(segmentSize)));
  const frameHeader = Array.from({ length: 24 }, (_, at) => sealedHeaderSize + at);
  const tag = Array.from({ length: 16 }, (_, at) => sealed.length - 1 - at);
  for (const at of [...frameHeader, sealedHeaderSize + 700_000, ...tag]) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8));
    await assert.rejects(
      sealer.open(place, [changed.subarray(0, 300_000), changed.subarray(300_000)]),
      isBad,
      `byte ${at}`,
    );
  }
});

test("opens a segment only at its own place, with its own key", async () => {
  const sealer = createSealer(newKey<VersionKey>());
  const sealed = await sealer.seal(place, randomBytes(100));
  // The headers that were opened last are kept, and must not open anything else.
  await sealer.open(place, sealed);
  const elsewhere = [
    { ...place, fileId: "01ARZ3NDEKTSV4RRFFQ69G5FAW" },
    { ...place, version: 2 },
    { ...place, index: 1 },
    { ...place, last: false },
  ];
  for (const wrong of elsewhere) await assert.rejects(sealer.open(wrong, sealed), isBad);
  await assert.rejects(createSealer(newKey<VersionKey>()).open(place, sealed), isBad);
});

test("opens each of two messages of one place, in any order, but not the head of one with the body of the other", async () => {
  const sealer = createSealer(newKey<VersionKey>());
  const texts = [randomBytes(100), randomBytes(100)] as const;
  const [one, two] = await Promise.all(texts.map(async (text) => Buffer.concat(await sealer.seal(place, text))));
  assert.ok(one !== undefined && two !== undefined);
  const open = async (sealed: Uint8Array) => Buffer.concat(await sealer.open(place, [sealed]));
  for (const turn of [0, 1]) {
    assert.ok((await open(one)).equals(texts[0]), `the first, turn ${turn}`);
    assert.ok((await open(one)).equals(texts[0]), `the first again, turn ${turn}`);
    assert.ok((await open(two)).equals(texts[1]), `the second, turn ${turn}`);
  }
  await open(one);
  const headSize = sealedHeaderSize + 24;
  await assert.rejects(open(Buffer.concat([one.subarray(0, headSize), two.subarray(headSize)])), isBad);
  assert.ok((await open(one)).equals(texts[0]), "the first after a bad one");
});

test("detects segments that are exchanged, repeated, left out or added", async () => {
  const { bytes, segments, readAs } = await threeSegments();
  const [first, second, last] = segments;
  assert.ok((await readAs([first, second, last])).equals(bytes));
  await assert.rejects(readAs([second, first, last]), isBad, "exchanged");
  await assert.rejects(readAs([first, first, last]), isBad, "repeated");
  await assert.rejects(readAs([first, last]), isBad, "one left out");
  await assert.rejects(readAs([first, second]), isBad, "the last left out");
  await assert.rejects(readAs([first, second, last.subarray(0, 500)]), isBad, "the last cut");
  await assert.rejects(readAs([first, second, last, last]), isBad, "one added");
  await assert.rejects(readAs([first, second, last, Buffer.alloc(1)]), isBad, "a byte added");
  await assert.rejects(readAs([]), isBad, "nothing left");
});

test("detects a recorded size that is smaller or larger than the sealed content", async () => {
  const { blobs, stored } = await threeSegments();
  for (const size of [0, 1, segmentSize, 2 * segmentSize, stored.size - 1, stored.size + 1, 3 * segmentSize]) {
    await assert.rejects(readTestContent(blobs, { ...stored, size }), isBad, `${size} bytes`);
  }
});

test("detects segments of another version or file, even under the same key", async () => {
  const blobs = new OpenBlobs();
  const stored = await storeTestContent(blobs, randomBytes(segmentSize + 10));
  const others = [
    await storeTestContent(blobs, randomBytes(segmentSize + 10), { key: stored.key, version: 2 }),
    await storeTestContent(blobs, randomBytes(segmentSize + 10), {
      key: stored.key,
      fileId: "01ARZ3NDEKTSV4RRFFQ69G5FAW",
    }),
    await storeTestContent(blobs, randomBytes(segmentSize + 10)),
  ];
  for (const other of others) await assert.rejects(readTestContent(blobs, { ...stored, blob: other.blob }), isBad);
});

test("gives what was genuine before a bad segment, then fails", async () => {
  const { blobs, bytes, stored, segments } = await threeSegments();
  const changed = Buffer.concat(segments);
  changed[sealedSegmentSize + 500_000] = (changed[sealedSegmentSize + 500_000] ?? 0) ^ 1;
  blobs.kept.set(stored.blob, changed);
  const { key, blob, size } = stored;
  const given: Uint8Array[] = [];
  await assert.rejects(async () => {
    for await (const part of readContent({ blobs }, { fileId: testFileId, version: 1, key, blob, size }))
      given.push(part);
  }, isBad);
  assert.ok(Buffer.concat(given).equals(bytes.subarray(0, segmentSize)));
});

test("reads of a range only the segments that it touches", async () => {
  const { blobs, bytes, stored } = await threeSegments();
  const ranges = [
    { start: 0, end: 0, segments: [0, 1] },
    { start: segmentSize - 1, end: segmentSize, segments: [0, 2] },
    { start: segmentSize, end: 2 * segmentSize - 1, segments: [1, 2] },
    { start: 2 * segmentSize + 999, end: 2 * segmentSize + 999, segments: [2, 3] },
    { start: 5, end: stored.size - 1, segments: [0, 3] },
  ] as const;
  for (const { start, end, segments } of ranges) {
    blobs.asked.length = 0;
    const read = await readTestContent(blobs, stored, { range: { start, end } });
    assert.ok(read.equals(bytes.subarray(start, end + 1)), `${start}-${end}`);
    const [from, to] = segments;
    // To the end one byte more is asked for: there must be none.
    const last = to === 3 ? sealedSize(stored.size) : to * sealedSegmentSize - 1;
    assert.deepEqual(blobs.asked, [{ start: from * sealedSegmentSize, end: last }]);
  }
});
