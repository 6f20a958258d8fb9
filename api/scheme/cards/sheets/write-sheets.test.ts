import assert from "node:assert/strict";
import { test } from "node:test";
import { inflateSync } from "node:zlib";
import { cardCode } from "../../../../wire/src/card-code.ts";
import { cardLanguages } from "../tables.ts";
import { type CardsPerSheet, writeSheets } from "./write-sheets.ts";

async function* cards(count: number) {
  for (let place = 1; place <= count; place++) yield { cardId: String(40_718_293_651 + place), place };
}

async function pdfOf(count: number, perSheet: CardsPerSheet, language: (typeof cardLanguages)[number] = "en") {
  const chunks: Uint8Array[] = [];
  const createdAt = new Date("2026-11-26T00:00:00Z");
  for await (const chunk of writeSheets(cards(count), { language, perSheet, createdAt })) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The drawing commands of each page, and the text that they show in the built-in font, in which digits are written. */
function pagesOf(pdf: Buffer): { digits: string; rectangles: number }[] {
  const text = pdf.toString("latin1");
  const streams = [...text.matchAll(/\/FlateDecode[^>]*>>\nstream\n([\s\S]*?)\nendstream/g)].map(([, body]) =>
    Buffer.from(body ?? "", "latin1"),
  );
  const drawn = streams.flatMap((body) => {
    const content = inflateSync(body).toString("latin1");
    return content.includes("BT") && content.includes(" re") ? [content] : [];
  });
  return drawn.map((content) => ({
    digits: [...content.matchAll(/\[((?:<[0-9a-f]+>[\s-\d.]*)+)\]\s*TJ/g)]
      .map(([, shown]) => Buffer.from((shown ?? "").replace(/<([0-9a-f]+)>[\s-\d.]*/g, "$1"), "hex").toString("latin1"))
      .join("\n"),
    rectangles: content.match(/ re$/gm)?.length ?? 0,
  }));
}

test("prints 10 or 8 cards on a sheet, each with its 12 digits and a QR code", async () => {
  for (const perSheet of [10, 8] as const) {
    const pages = pagesOf(await pdfOf(25, perSheet));
    assert.equal(pages.length, Math.ceil(25 / perSheet));
    const shown = pages.map(({ digits }) => digits.replaceAll(" ", "")).join("\n");
    for await (const { cardId } of cards(25)) assert.ok(shown.includes(cardCode(cardId)), cardId);
    for (const { rectangles } of pages.slice(0, -1)) assert.ok(rectangles > perSheet * 80, `${rectangles}`);
  }
});

test("gives the same bytes for the same cards, and other ones in each language", async () => {
  const files = await Promise.all(cardLanguages.map((language) => pdfOf(3, 10, language)));
  assert.equal(new Set(files.map((file) => file.toString("latin1"))).size, cardLanguages.length);
  assert.deepEqual(await pdfOf(3, 10, "en"), files[0]);
});
