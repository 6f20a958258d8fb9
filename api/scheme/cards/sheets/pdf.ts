import { createRequire } from "node:module";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { CardLanguage } from "../tables.ts";

const fontOf = (name: string) => createRequire(import.meta.url).resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`);

/** A font that every reader has. Of an embedded font, pdfkit keeps each different word in memory, so also each number. */
export const digitsFont = "Helvetica-Bold";
/** A4 in points. */
export const a4 = { width: 595.28, height: 841.89 };
/** A QR code needs a border of four modules. */
const quietModules = 4;
/** Bytes that may wait for the reader before writing pauses. */
const waitingBytes = 1024 * 1024;

export type SheetPdf = {
  document: PDFKit.PDFDocument;
  /** Draw a QR code with its quiet zone. */
  qr(left: number, top: number, side: number, text: string): void;
};

/** Create a document of A4 sheets with the fonts "text" and "bold". The same drawing gives the same bytes. */
export async function createSheetPdf(title: string, language: CardLanguage, createdAt: Date): Promise<SheetPdf> {
  const [{ default: PDFDocument }, { default: QRCode }] = await Promise.all([import("pdfkit"), import("qrcode")]);
  const document = new PDFDocument({
    size: "A4",
    margin: 0,
    autoFirstPage: false,
    lang: language,
    pdfVersion: "1.7",
    info: { Title: title, CreationDate: createdAt, ModDate: createdAt },
  });
  document.registerFont("text", fontOf("DejaVuSans"));
  document.registerFont("bold", fontOf("DejaVuSans-Bold"));
  return {
    document,
    qr(left, top, side, text) {
      drawQr(document, { left, top, side }, QRCode.create(text, { errorCorrectionLevel: "M" }).modules);
    },
  };
}

/** What the document has written so far. Give other requests a turn first. */
export async function* written(document: PDFKit.PDFDocument): AsyncGenerator<Uint8Array> {
  await nextTurn();
  if (document.readableLength < waitingBytes) return;
  const bytes = document.read() as Uint8Array | null;
  if (bytes !== null) yield bytes;
}

type Square = { left: number; top: number; side: number };

/** Draw a QR code as rectangles, neighbours in a row as one. */
function drawQr(
  document: PDFKit.PDFDocument,
  { left, top, side }: Square,
  { size, data }: { size: number; data: ArrayLike<number> },
): void {
  const module = side / (size + 2 * quietModules);
  document.fillColor("#000000");
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      let end = column;
      while (end < size && data[row * size + end]) end += 1;
      if (end === column) continue;
      const x = left + (quietModules + column) * module;
      document.rect(x, top + (quietModules + row) * module, (end - column) * module, module);
      column = end;
    }
  }
  document.fill();
}
