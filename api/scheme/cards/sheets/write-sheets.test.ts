import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { inflateSync } from "node:zlib";
import type { PDFPageProxy } from "pdfjs-dist/legacy/build/pdf.mjs";
import { prepareZXingModule, readBarcodes } from "zxing-wasm/reader";
import { openPdf, textOfPage } from "../../../../test/support/pdf-text.ts";
import { cardCode, cardQrText } from "../../../../wire/src/card-code.ts";
import { cardLanguages } from "../tables.ts";
import { cardTexts } from "./texts.ts";
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

const decoder = createRequire(import.meta.url).resolve("zxing-wasm/reader/zxing_reader.wasm");
/** Pixels of a point, so that a decoder finds the squares of a QR code. */
const scale = 3;
/** A4 in points, and its margin. */
const sheet = { width: 595.28, height: 841.89, margin: 28 };

/** Read a sheet as a reader of PDFs shows it: its first page as a picture, and its text. */
async function openSheet(data: Buffer) {
  const loading = openPdf(data);
  const document = await loading.promise;
  const page = await document.getPage(1);
  return {
    picture: await pictureOf(document.canvasFactory as CanvasFactory, page),
    text: await textOfPage(page),
    loading,
  };
}

type CanvasFactory = { create: (width: number, height: number) => { canvas: never; context: CanvasContext } };
type CanvasContext = { getImageData: (x: number, y: number, width: number, height: number) => ImageData };

async function pictureOf(factory: CanvasFactory, page: PDFPageProxy): Promise<ImageData> {
  const viewport = page.getViewport({ scale });
  const [width, height] = [Math.ceil(viewport.width), Math.ceil(viewport.height)];
  const { canvas, context } = factory.create(width, height);
  await page.render({ canvas, canvasContext: context as never, viewport }).promise;
  return context.getImageData(0, 0, width, height);
}

const plain = (text: string) => text.replaceAll(/\s+/g, " ").trim();

test("shows each card's QR code for the till's decoder, marks to cut along, and how to use it in each language", async () => {
  await prepareZXingModule({ overrides: { wasmBinary: readFileSync(decoder).buffer }, fireImmediately: true });
  for (const language of cardLanguages) {
    const { picture, text, loading } = await openSheet(await pdfOf(10, 10, language));
    const read = await readBarcodes(picture, { formats: ["QRCode"], maxNumberOfSymbols: 20 });
    const expected: string[] = [];
    for await (const { cardId } of cards(10)) expected.push(cardQrText(cardId));
    assert.deepEqual(read.map(({ text: code }) => code).sort(), expected.sort(), language);

    const isGrey = (x: number, y: number) => {
      const at = (Math.round(y * scale) * picture.width + Math.round(x * scale)) * 4;
      return (picture.data[at] ?? 255) < 230;
    };
    const { width, height, margin } = sheet;
    for (const column of [0, 1, 2]) {
      const x = margin + (column * (width - 2 * margin)) / 2;
      for (const y of [margin - 8, height - margin + 8]) {
        assert.ok(isGrey(x, y), `a mark at ${x}, ${y}`);
        assert.ok(!isGrey(x + 4, y), `no mark next to ${x}, ${y}`);
      }
    }
    for (const row of [0, 1, 2, 3, 4, 5]) {
      const y = margin + (row * (height - 2 * margin)) / 5;
      for (const x of [margin - 8, width - margin + 8]) assert.ok(isGrey(x, y), `a mark at ${x}, ${y}`);
    }

    const { title, howTo, lost } = cardTexts[language];
    const shown = plain(text);
    for (const sentence of [title, ...howTo, lost]) {
      assert.equal(shown.split(plain(sentence)).length - 1, 10, `${language}: ${sentence}`);
    }
    await loading.destroy();
  }
});
