import { householdCodeQrText } from "../../../../wire/src/household-code.ts";
import { a4, type CardLanguage, createSheetPdf, digitsFont, type SheetPdf, written } from "../../cards/index.ts";
import { codeTexts } from "./texts.ts";

const margin = 40;
const columns = 3;
/** Side of a QR code with its quiet zone. */
const side = { voucher: 110, code: 108 };
const cell = { width: (a4.width - 2 * margin) / columns, height: 146, top: 232 };

/** A household's paper. `voucherText`: the text of the voucher's QR code. */
export type CodePaper = {
  voucherId: string;
  voucherText: string;
  householdDid: string;
  lastDay: string;
  codes: string[];
};
export type CodeSheetOptions = { language: CardLanguage; createdAt: Date };

/** Write one A4 page for each household: its voucher, how to use the codes, and each code as QR code and symbols. */
export async function* writeCodeSheets(
  papers: AsyncIterable<CodePaper>,
  { language, createdAt }: CodeSheetOptions,
): AsyncGenerator<Uint8Array> {
  const pdf = await createSheetPdf(codeTexts[language].title, language, createdAt);
  let isEmpty = true;
  for await (const paper of papers) {
    pdf.document.addPage();
    isEmpty = false;
    drawHead(pdf, language, paper);
    paper.codes.forEach((code, nth) => {
      drawCode(pdf, nth, code);
    });
    yield* written(pdf.document);
  }
  if (isEmpty) pdf.document.addPage();
  pdf.document.end();
  for await (const chunk of pdf.document) yield chunk as Uint8Array;
}

function drawHead({ document, qr }: SheetPdf, language: CardLanguage, paper: CodePaper): void {
  const texts = codeTexts[language];
  qr(margin - 8, margin - 8, side.voucher, paper.voucherText);
  const left = margin + side.voucher + 8;
  const width = a4.width - margin - left;
  document.fillColor("#1a1a1a").font("bold").fontSize(16).text(texts.title, left, margin, { width });
  document
    .font("text")
    .fontSize(9)
    .text(`${texts.voucher} ${paper.voucherId} · ${texts.validUntil} ${paper.lastDay}`, left, margin + 26, { width })
    .fillColor("#555555")
    .text(paper.householdDid, { width });
  const steps = texts.howTo.map((step, nth) => `${nth + 1}. ${step}`).join("\n");
  document
    .fillColor("#1a1a1a")
    .fontSize(9)
    .text(`${steps}\n${texts.lost}`, margin, margin + side.voucher + 2, { width: a4.width - 2 * margin, lineGap: 2 });
}

function drawCode({ document, qr }: SheetPdf, nth: number, code: string): void {
  const left = margin + (nth % columns) * cell.width;
  const top = cell.top + Math.floor(nth / columns) * cell.height;
  document.lineWidth(0.5).strokeColor("#888888").rect(left, top, cell.width, cell.height).stroke();
  document
    .font(digitsFont)
    .fontSize(9)
    .fillColor("#555555")
    .text(`${nth + 1}`, left + 6, top + 6, { lineBreak: false });
  qr(left + (cell.width - side.code) / 2, top + 6, side.code, householdCodeQrText(code));
  document
    .font(digitsFont)
    .fontSize(12)
    .fillColor("#1a1a1a")
    .text(code, left, top + cell.height - 24, { width: cell.width, align: "center", lineBreak: false });
}
