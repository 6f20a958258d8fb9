import assert from "node:assert/strict";
import { test } from "node:test";
import { inflateSync } from "node:zlib";
import { PdfWriter } from "./pdf-writer.ts";

const info = { title: "Report", author: "A", subject: "S", createdAt: new Date("2026-11-27T00:00:00Z") };
const hostile = {
  "line breaks": "a\n".repeat(700),
  "a word as long as a book": "W".repeat(1_500),
  markup:
    "<script>alert(1)</script> ) Tj ET /JavaScript << /S /JavaScript /JS (app.alert(1)) >> \\) %PDF endstream".repeat(
      5,
    ),
  "text from right to left": "\u202eمرحبا بالعالم שלום ".repeat(60),
  "characters without a glyph": "漢字𓀀\u{10ffff}\ue000".repeat(100),
  "control characters": "a\u0001\u001b[31m\u0085\u2028b\u0000".repeat(100),
};

/** The drawing commands of each page. */
function pagesOf(pdf: Buffer): string[] {
  const text = pdf.toString("latin1");
  return [...text.matchAll(/\/FlateDecode[^>]*>>\nstream\n([\s\S]*?)\nendstream/g)].flatMap(([, body]) => {
    const content = inflateSync(Buffer.from(body ?? "", "latin1")).toString("latin1");
    return /^BT$/m.test(content) ? [content] : [];
  });
}

for (const [name, text] of Object.entries(hostile)) {
  test(`keeps a row of a table on one page, whatever a person wrote: ${name}`, async () => {
    for (const widths of [
      [1, 1, 1, 1, 1, 1, 1, 1],
      [1, 3],
    ]) {
      const writer = await PdfWriter.open(info);
      const row = widths.map((_, i) => (i === 0 ? text : "end"));
      writer.table({ widths, header: widths.map(() => "Title"), rows: [row, row.toReversed(), row] });
      const pdf = await writer.end(`footer ${text}`);
      const pages = pagesOf(pdf);
      assert.ok(pages.length <= 3, `${pages.length} pages`);
      assert.ok(!/\/JavaScript|\/JS\b|\/OpenAction|\/URI/.test(pdf.toString("latin1")));
      // Nothing is drawn below the page, and no cell begins on another page than its row.
      for (const page of pages) {
        for (const [, y] of page.matchAll(/1 0 0 1 [\d.-]+ ([\d.-]+) Tm/g)) assert.ok(Number(y) > 0, `at ${y}`);
      }
    }
  });
}
