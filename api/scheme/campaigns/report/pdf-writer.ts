import { createRequire } from "node:module";
import { buffer } from "node:stream/consumers";

const fontOf = (name: string) => createRequire(import.meta.url).resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`);
const fonts = { text: "DejaVuSans", bold: "DejaVuSans-Bold", mono: "DejaVuSansMono" } as const;

const margin = 54;
const colours = { text: "#1a1a1a", soft: "#555555", line: "#c8c8c8", header: "#eef2f0", accent: "#0b5d3b" };

/** A cell of a table; `mono` for hashes and addresses. */
export type Cell = string | { text: string; mono: true };
/** A table: relative widths of the columns, their titles and the rows. */
export type Table = { widths: number[]; header?: string[]; rows: Cell[][] };

export type DocumentInfo = { title: string; author: string; subject: string; createdAt: Date };

type Document = PDFKit.PDFDocument;

/** Writes an A4 document of headings, paragraphs and tables with its fonts embedded. The same content gives the same bytes. */
export class PdfWriter {
  readonly #document: Document;
  readonly #bytes: Promise<Buffer>;
  readonly #title: string;

  private constructor(document: Document, title: string) {
    this.#document = document;
    this.#title = title;
    this.#bytes = buffer(document);
  }

  /** The library is loaded with the first document: few processes write one. */
  static async open({ title, author, subject, createdAt }: DocumentInfo): Promise<PdfWriter> {
    const { default: PDFDocument } = await import("pdfkit");
    const document = new PDFDocument({
      size: "A4",
      margin,
      bufferPages: true,
      lang: "en",
      pdfVersion: "1.7",
      displayTitle: true,
      info: { Title: title, Author: author, Subject: subject, CreationDate: createdAt, ModDate: createdAt },
    });
    for (const [name, file] of Object.entries(fonts)) document.registerFont(name, fontOf(file));
    return new PdfWriter(document, title);
  }

  /** The first page: title, subtitle and a table of facts. */
  titlePage(title: string, subtitle: string, facts: Cell[][]): void {
    const document = this.#document;
    document.moveDown(5);
    document.font("bold").fontSize(28).fillColor(colours.accent).text(title);
    document.moveDown(0.4);
    document.font("text").fontSize(15).fillColor(colours.text).text(subtitle);
    document.moveDown(3);
    this.table({ widths: [1, 2.6], rows: facts });
  }

  newPage(): void {
    this.#document.addPage();
  }

  heading(text: string): void {
    this.#keepTogether(120);
    const document = this.#document;
    document.moveDown(1);
    document.font("bold").fontSize(14).fillColor(colours.accent).text(text, margin);
    document.outline.addItem(text);
    document.moveDown(0.4);
  }

  subheading(text: string): void {
    this.#keepTogether(80);
    this.#document.moveDown(0.6);
    this.#document.font("bold").fontSize(10.5).fillColor(colours.text).text(text, margin);
    this.#document.moveDown(0.3);
  }

  paragraph(text: string): void {
    this.#document.font("text").fontSize(9.5).fillColor(colours.text).text(text, margin, undefined, { lineGap: 2 });
    this.#document.moveDown(0.5);
  }

  /** A table that continues on further pages, with its header on each. */
  table({ widths, header, rows }: Table): void {
    const room = this.#document.page.width - 2 * margin;
    const sum = widths.reduce((total, each) => total + each, 0);
    const columns = widths.map((each) => (each / sum) * room);
    const titles = header?.map((text): Cell => text);
    if (titles) this.#row(columns, titles, { isHeader: true });
    for (const row of rows) {
      if (this.#bottom() < this.#heightOf(columns, row)) {
        this.#document.addPage();
        if (titles) this.#row(columns, titles, { isHeader: true });
      }
      this.#row(columns, row, { isHeader: false });
    }
    this.#document.x = margin;
    this.#document.moveDown(0.8);
  }

  /** Number the pages, close the document and return its bytes. */
  async end(footer: string): Promise<Buffer> {
    const document = this.#document;
    const { start, count } = document.bufferedPageRange();
    for (let i = start; i < start + count; i++) {
      document.switchToPage(i);
      const { height, width, margins } = document.page;
      // Text below the margin would begin a new page.
      margins.bottom = 0;
      document.font("text").fontSize(7.5).fillColor(colours.soft);
      const at = height - margin + 18;
      const place = { width: width - 2 * margin - pageNumberWidth, height: 10, ellipsis: true };
      document.text(inOneLine(`${this.#title} · ${footer}`), margin, at, place);
      document.text(`Page ${i + 1} of ${count}`, margin, at, {
        width: width - 2 * margin,
        align: "right",
        lineBreak: false,
      });
    }
    document.end();
    return this.#bytes;
  }

  #bottom(): number {
    return this.#document.page.height - margin - this.#document.y;
  }

  #keepTogether(points: number): void {
    if (this.#bottom() < points) this.#document.addPage();
  }

  #heightOf(columns: readonly number[], cells: readonly Cell[]): number {
    const heights = cells.map((cell, i) => {
      this.#setFont(cell, false);
      return this.#document.heightOfString(textOf(cell) || " ", { width: (columns[i] ?? 0) - 2 * padding });
    });
    return Math.min(Math.max(...heights), mostHeight) + 2 * padding;
  }

  #row(columns: readonly number[], cells: readonly Cell[], { isHeader }: { isHeader: boolean }): void {
    const document = this.#document;
    const height = this.#heightOf(columns, cells);
    const top = document.y;
    const width = columns.reduce((total, each) => total + each, 0);
    if (isHeader) document.rect(margin, top, width, height).fill(colours.header);
    let left = margin;
    for (const [i, cell] of cells.entries()) {
      const column = columns[i] ?? 0;
      this.#setFont(cell, isHeader);
      document.fillColor(colours.text).text(textOf(cell), left + padding, top + padding, {
        width: column - 2 * padding,
        height: mostHeight,
        ellipsis: true,
      });
      left += column;
    }
    document
      .moveTo(margin, top + height)
      .lineTo(margin + width, top + height)
      .lineWidth(0.5)
      .stroke(colours.line);
    document.x = margin;
    document.y = top + height;
  }

  #setFont(cell: Cell, isHeader: boolean): void {
    const isMono = typeof cell !== "string";
    this.#document.font(isMono ? "mono" : isHeader ? "bold" : "text").fontSize(isMono ? 7.5 : 8.5);
  }
}

const padding = 4;
/** Most characters and points of a cell's text, so that a row fits on a page in a narrow column, too. */
const maxText = 1_500;
const mostHeight = 360;
const pageNumberWidth = 90;

/** What people wrote, without line breaks and characters that change its direction: it stays within its cell. */
function inOneLine(text: string): string {
  return text.replace(/[\s\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]+/gu, " ").trim();
}

function textOf(cell: Cell): string {
  const text = inOneLine(typeof cell === "string" ? cell : cell.text).replaceAll("CO2", "CO₂");
  return text.length <= maxText ? text : `${text.slice(0, maxText)}…`;
}
