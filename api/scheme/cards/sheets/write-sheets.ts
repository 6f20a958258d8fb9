import { cardCode, cardQrText } from "../../../../wire/src/card-code.ts";
import type { CardLanguage } from "../tables.ts";
import { a4, createSheetPdf, digitsFont, type SheetPdf, written } from "./pdf.ts";
import { cardTexts } from "./texts.ts";

/** How the cards of a sheet are laid out: two columns. */
const columns = 2;
const margin = 28;
/** Length of a cut mark, and its distance from the card. */
const mark = { length: 10, gap: 3 };
const padding = 9;
/** Side of the QR code with its quiet zone. */
const qrSide = 92;

export type CardsPerSheet = 8 | 10;
export type SheetOptions = { language: CardLanguage; perSheet: CardsPerSheet; createdAt: Date };
/** What is printed of a card. */
export type PrintedCard = { cardId: string; place: number };

type Box = { left: number; top: number; width: number; height: number };

/**
 * Write cards as A4 sheets, one page at a time: QR code, 12 digits, how to use the card, and marks to cut along. The same
 * cards give the same bytes.
 */
export async function* writeSheets(
  cards: AsyncIterable<PrintedCard>,
  { language, perSheet, createdAt }: SheetOptions,
): AsyncGenerator<Uint8Array> {
  const pdf = await createSheetPdf(cardTexts[language].title, language, createdAt);
  const { document } = pdf;
  const draw = new CardDrawing(pdf, language);
  let placed = 0;
  for await (const card of cards) {
    const nth = placed % perSheet;
    if (nth === 0) {
      document.addPage();
      draw.cutMarks(perSheet);
    }
    draw.card(boxOf(nth, perSheet), card);
    placed += 1;
    if (placed % perSheet === 0) yield* written(document);
  }
  if (placed === 0) document.addPage();
  document.end();
  for await (const chunk of document) yield chunk as Uint8Array;
}

function boxOf(nth: number, perSheet: CardsPerSheet): Box {
  const width = (a4.width - 2 * margin) / columns;
  const height = (a4.height - 2 * margin) / (perSheet / columns);
  return {
    left: margin + (nth % columns) * width,
    top: margin + Math.floor(nth / columns) * height,
    width,
    height,
  };
}

class CardDrawing {
  readonly #pdf: SheetPdf;
  readonly #language: CardLanguage;

  constructor(pdf: SheetPdf, language: CardLanguage) {
    this.#pdf = pdf;
    this.#language = language;
  }

  /** Marks in the margins, at each edge of the cards. */
  cutMarks(perSheet: CardsPerSheet): void {
    const document = this.#pdf.document.lineWidth(0.5).strokeColor("#888888");
    const { width, height } = boxOf(0, perSheet);
    for (let column = 0; column <= columns; column++) {
      const x = margin + column * width;
      for (const y of [margin - mark.gap - mark.length, a4.height - margin + mark.gap]) {
        document.moveTo(x, y).lineTo(x, y + mark.length);
      }
    }
    for (let row = 0; row <= perSheet / columns; row++) {
      const y = margin + row * height;
      for (const x of [margin - mark.gap - mark.length, a4.width - margin + mark.gap]) {
        document.moveTo(x, y).lineTo(x + mark.length, y);
      }
    }
    document.stroke();
  }

  card({ left, top, width, height }: Box, { cardId, place }: PrintedCard): void {
    const texts = cardTexts[this.#language];
    this.#pdf.qr(left + padding, top + (height - qrSide) / 2 - 6, qrSide, cardQrText(cardId));
    const textLeft = left + padding + qrSide + 6;
    const textWidth = left + width - padding - textLeft;
    const document = this.#pdf.document.fillColor("#1a1a1a");
    document
      .font("bold")
      .fontSize(11)
      .text(texts.title, textLeft, top + padding + 2, { width: textWidth });
    document
      .font(digitsFont)
      .fontSize(13)
      .text(inGroups(cardCode(cardId)), textLeft, top + padding + 19, { width: textWidth });
    document.font("text").fontSize(7);
    const howTo = texts.howTo.map((step, nth) => `${nth + 1}. ${step}`).join("\n");
    document.text(`${howTo}\n${texts.lost}`, textLeft, top + padding + 40, { width: textWidth, lineGap: 1.5 });
    document
      .font(digitsFont)
      .fontSize(6)
      .fillColor("#555555")
      .text(String(place), left + padding, top + height - padding - 8, {
        width: qrSide,
        align: "center",
        lineBreak: false,
      });
  }
}

/** 12 digits in groups of four, as people read them out. */
function inGroups(code: string): string {
  return code.replace(/(\d{4})(?=\d)/g, "$1 ");
}
