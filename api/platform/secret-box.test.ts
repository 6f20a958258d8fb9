import assert from "node:assert/strict";
import { test } from "node:test";
import { createSecretBox, type SealingKeys, sealedBy, sealingKeyId, sealingKeysOf } from "./secret-box.ts";

const [scheme, second, third] = ["1", "2", "3"].map((digit) => digit.repeat(64)) as [string, string, string];
const before = sealingKeysOf(scheme);
const after: SealingKeys = { scheme, current: second, previous: [scheme] };
const later: SealingKeys = { scheme, current: third, previous: [] };

/** Sealed before there were sealing keys: AES-256-GCM with the key that HKDF derives from the scheme key. */
const old = "AAAAAAAAAAAAAAAAp2uLTi87pAwHVm33oGA4e0rM1SYHBf77";

test("opens what was sealed before there were sealing keys, with them too", () => {
  for (const keys of [before, after, later]) assert.equal(createSecretBox(keys, "webhook").open(old), "a secret");
});

test("names the key in what it seals, and not the scheme key, which versions before know without a name", () => {
  const plain = createSecretBox(before, "webhook").seal("x");
  assert.match(plain, /^[\w-]+$/);
  const sealed = createSecretBox(after, "webhook").seal("x");
  assert.equal(sealedBy(sealed), sealingKeyId(second));
  assert.match(sealed, /^[0-9a-f]{16}\.[\w-]+$/);
  assert.ok(!sealed.includes(second.slice(0, 16)));
});

test("opens with each key that is there, whichever seals", () => {
  const learning: SealingKeys = { scheme, current: scheme, previous: [second] };
  for (const [one, other] of [
    [learning, after],
    [after, learning],
    [after, { scheme, current: third, previous: [second] }],
  ] as const) {
    const sealed = createSecretBox(one, "room").seal("number");
    assert.equal(createSecretBox(other, "room").open(sealed), "number");
    assert.throws(() => createSecretBox(other, "code").open(sealed), "another purpose has another key");
  }
});

test("names the key that is missing", () => {
  const sealed = createSecretBox(after, "room").seal("number");
  const missing = new RegExp(`the key ${sealingKeyId(second)}, which SEALING_KEYS_PREVIOUS lacks`);
  assert.throws(() => createSecretBox(later, "room").open(sealed), missing);
});

test("refuses a text whose key or content was changed", () => {
  const box = createSecretBox({ scheme, current: third, previous: [second] }, "room");
  const sealed = box.seal("number");
  assert.throws(() => box.open(sealed.replace(sealingKeyId(third), sealingKeyId(second))));
  assert.throws(() => box.open(sealed.slice(17)), "as if the scheme key had sealed it");
  assert.throws(() => box.open(`${sealed.slice(0, 20)}${sealed[20] === "A" ? "B" : "A"}${sealed.slice(21)}`));
});

test("makes the same hashes whatever key seals, so that nobody is registered twice", () => {
  const hashes = [before, after, later].map((keys) => createSecretBox(keys, "room").hash("+260971234567"));
  assert.equal(new Set(hashes).size, 1);
});
