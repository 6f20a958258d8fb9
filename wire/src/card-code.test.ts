import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { cardCode, cardQrText, readCardCode, readCardId } from "./card-code.ts";
import { readHouseholdCode } from "./household-code.ts";

const cardId = "40718293651";

test("reads a card's id from its digits and from its QR code", () => {
  const code = cardCode(cardId);
  assert.match(code, /^40718293651\d$/);
  assert.equal(cardQrText(cardId), `HC1:${cardId}:${code.at(-1)}`);
  for (const text of [
    code,
    code.replace(/(\d{4})/g, "$1 "),
    code.replace(/(\d{4})(?=\d)/g, "$1-"),
    ` ${cardQrText(cardId)}\n`,
  ]) {
    assert.equal(readCardCode(text), cardId, text);
  }
});

test("reads the cards and one-time codes that the documents give as examples", () => {
  const texts = ["../../openapi.json", "../../docs/cards.md"].map((path) =>
    readFileSync(new URL(path, import.meta.url), "utf8"),
  );
  const found = (pattern: RegExp) => texts.flatMap((text) => text.match(pattern) ?? []);
  const cards = [...found(/HC1:\d{11}:\d/g), ...found(/\b40718293651\d\b/g)];
  assert.ok(cards.length > 3);
  for (const card of cards) assert.equal(readCardCode(card), cardId, card);
  const codes = found(/\b[0-9A-Z]{4}(?:-[0-9A-Z]{4}){3}\b/g);
  assert.ok(codes.length > 0);
  for (const code of codes) assert.equal(readHouseholdCode(code), code);
});

test("computes the check digit of Damm's published example", () => {
  assert.equal(cardCode("572"), "5724");
});

test("finds every wrong digit and every swap of two neighbours", () => {
  const code = cardCode(cardId);
  for (let place = 0; place < code.length; place++) {
    for (const digit of "0123456789") {
      const typed = code.slice(0, place) + digit + code.slice(place + 1);
      assert.equal(readCardCode(typed), typed === code ? cardId : undefined, typed);
    }
    const swapped = code.slice(0, place) + (code[place + 1] ?? "") + code[place] + code.slice(place + 2);
    if (swapped !== code) assert.equal(readCardCode(swapped), undefined, swapped);
  }
});

test("reads nothing from another text", () => {
  for (const text of [
    "",
    "1234",
    "VCHR-00000000000011",
    "HC2:40718293651:5",
    `HC1:${cardCode(cardId)}`,
    "4071829365१",
  ]) {
    assert.equal(readCardCode(text), undefined, text);
  }
});

test("reads a card's id with or without its check digit, but not with a wrong one", () => {
  const code = cardCode(cardId);
  const wrong = `${cardId}${(Number(code.at(-1)) + 1) % 10}`;
  for (const text of [cardId, code, cardQrText(cardId), ` ${cardId.slice(0, 4)} ${cardId.slice(4)}`]) {
    assert.equal(readCardId(text), cardId, text);
  }
  for (const text of [wrong, cardId.slice(1), `HC1:${cardId}`]) assert.equal(readCardId(text), undefined, text);
});
