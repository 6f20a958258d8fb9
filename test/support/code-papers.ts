import { inflateSync } from "node:zlib";

/** Read the one-time codes on each page of households' papers (PDF). They are written in a font that every reader has. */
export function codesOnPages(pdf: Buffer): string[][] {
  const streams = [...pdf.toString("latin1").matchAll(/\/FlateDecode[^>]*>>\nstream\n([\s\S]*?)\nendstream/g)];
  const drawn = streams.map(([, body]) => inflateSync(Buffer.from(body ?? "", "latin1")).toString("latin1"));
  return drawn
    .filter((content) => content.includes("BT") && content.includes(" re"))
    .map((content) =>
      [...content.matchAll(/\[((?:<[0-9a-f]+>[\s-\d.]*)+)\]\s*TJ/g)]
        .map(([, shown]) =>
          Buffer.from((shown ?? "").replace(/<([0-9a-f]+)>[\s-\d.]*/g, "$1"), "hex").toString("latin1"),
        )
        .filter((text) => /^\S{4}(-\S{4}){3}$/.test(text)),
    );
}
