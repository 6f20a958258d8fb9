import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { householdCode, householdCodeQrText, householdCodeSecret, readHouseholdCode } from "./household-code.ts";

const symbols = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const code = householdCode(Buffer.from("8f3a1c5577e2904bd6aa", "hex"));

test("writes 16 symbols in groups of four, and reads them as people type and scan them", () => {
  assert.match(code, /^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){3}$/);
  const typed = [code, code.toLowerCase(), code.replaceAll("-", " "), ` ${householdCodeQrText(code)}\n`];
  for (const text of [...typed, code.replaceAll("0", "o").replaceAll("1", "l")]) {
    assert.equal(readHouseholdCode(text), code, text);
  }
});

test("uses 75 bits, each of which changes the code", () => {
  const bytes = randomBytes(10);
  const codes = Array.from({ length: 80 }, (_, bit) => {
    const changed = Buffer.from(bytes);
    changed[bit >> 3] = (changed[bit >> 3] ?? 0) ^ (128 >> (bit & 7));
    return householdCode(changed);
  });
  assert.equal(new Set(codes.slice(0, 75)).size, 75);
  assert.deepEqual(new Set(codes.slice(75)), new Set([householdCode(bytes)]));
});

test("finds every wrong symbol and every swap of two", () => {
  for (let round = 0; round < 20; round++) {
    const plain = householdCode(randomBytes(10)).replaceAll("-", "");
    for (let place = 0; place < plain.length; place++) {
      for (const symbol of symbols) {
        const typed = plain.slice(0, place) + symbol + plain.slice(place + 1);
        assert.equal(readHouseholdCode(typed) !== undefined, typed === plain, typed);
      }
      for (let other = place + 1; other < plain.length; other++) {
        const swapped = [...plain];
        [swapped[place], swapped[other]] = [plain[other] ?? "", plain[place] ?? ""];
        const typed = swapped.join("");
        if (typed !== plain) assert.equal(readHouseholdCode(typed), undefined, typed);
      }
    }
  }
});

test("reads nothing from another text, and derives the same secret however the code is written", () => {
  for (const text of ["", "VCHR-00000000000011", "HC1:40718293651:5", code.slice(1), `${code}0`, `U${code.slice(1)}`]) {
    assert.equal(readHouseholdCode(text), undefined, text);
  }
  assert.equal(householdCodeSecret(code), householdCodeSecret(code.replaceAll("-", "")));
});
