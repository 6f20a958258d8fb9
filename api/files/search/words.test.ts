import assert from "node:assert/strict";
import { test } from "node:test";
import { eachWord, textOf, wordsIn, wordsOf } from "./words.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);

test("treats letters and digits of any script as words, without case, accents and letter forms", () => {
  assert.deepEqual(wordsIn("Café CAFE\u0301 cafe, snake_case don't x2 \uFB01re ＦＵＬＬ"), [
    "cafe",
    "snake",
    "case",
    "don",
    "t",
    "x2",
    "fire",
    "full",
  ]);
  assert.deepEqual(wordsIn("हिन्दी Ελλάδα кухня"), ["हिन्दी", "ελλαδα", "кухня"]);
});

test("parts scripts that put no spaces between words", () => {
  const words = wordsIn("清洁炉灶改变生活");
  assert.ok(words.length > 1, `one word of ${words.join()}`);
  assert.ok(words.every((word) => "清洁炉灶改变生活".includes(word)));
});

test("says where a word is in the text as it was written", () => {
  const text = "a Café, 清洁炉灶";
  for (const { word, start, end } of eachWord(text)) {
    assert.deepEqual(wordsIn(text.slice(start, end)), [word]);
  }
});

test("leaves out runs that are data, and stops after enough words", () => {
  assert.deepEqual(wordsIn(`ok ${"a".repeat(65)} ${"b".repeat(64)}`), ["ok", "b".repeat(64)]);
  const many = Array.from({ length: 5_000 }, (_, index) => `w${index}`).join(" ");
  assert.equal(wordsIn(many).length, 2_048);
});

test("reads text whatever its type says, unless the type or the bytes say otherwise", () => {
  assert.deepEqual(wordsOf("application/octet-stream", utf8("hello")), ["hello"]);
  assert.deepEqual(wordsOf("image/svg+xml", utf8("<svg>")), ["svg"]);
  assert.deepEqual(wordsOf("image/png", utf8("hello")), []);
  assert.deepEqual(wordsOf("text/plain", utf8("he\0llo")), []);
  assert.deepEqual(wordsOf("text/plain", Uint8Array.of(0x68, 0xff, 0x69)), []);
});

test("reads a head that ends within a character", () => {
  assert.equal(textOf("text/plain", utf8("naïve é").subarray(0, -1)), "naïve ");
});

test("looks at the beginning of a file only", () => {
  const head = utf8(`${" ".repeat(262_140)}abcdefgh`);
  assert.deepEqual(wordsOf("text/plain", head), ["abcd"]);
});
