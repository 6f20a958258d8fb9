import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { SaxesParser } from "saxes";
import { type Entry, fromBuffer, type Options, type ZipFile } from "yauzl";
import { MAX_ROW_CHARACTERS, unreadable } from "./csv.ts";

/** Limits of what a file unpacks to. A small file can be packed so that it unpacks to gigabytes. */
const MAX_UNPACKED_BYTES = 128 * 1024 * 1024;
const MAX_TEXT_CHARACTERS = 32 * 1024 * 1024;
const MAX_ENTRIES = 1_000;
const MAX_COLUMNS = 256;

const openZip = promisify<Buffer, Options, ZipFile>(fromBuffer);

/** Of a workbook: its first sheet's file, and whether its days count from 1904. */
type Workbook = { sheet: string; from1904: boolean };

/**
 * Read the cells of a workbook's first sheet row by row, as text. Unpacked parts are read as a stream; only the texts that
 * cells share are kept in memory. Empty rows are left out.
 * @param dateColumns columns, by lower-case name in the first row, whose numbers are days
 * @throws AppError INVALID_INPUT when it is not an XLSX workbook, or unpacks to too much
 */
export async function* readXlsxCells(bytes: Uint8Array, dateColumns: readonly string[] = []): AsyncGenerator<string[]> {
  try {
    const parts = await partsOf(bytes);
    const { sheet, from1904 } = await readWorkbook(parts);
    const shared = await readSharedTexts(parts);
    let header: string[] | undefined;
    for await (const cells of readSheet(partNamed(parts, sheet), shared)) {
      if (header === undefined) {
        header = cells;
        yield cells;
        continue;
      }
      const columns = header;
      const isDate = (i: number) => dateColumns.includes(columns[i]?.trim().toLowerCase() ?? "");
      yield padded(cells, columns.length).map((cell, i) => (isDate(i) ? dayText(cell, from1904) : cell));
    }
  } catch (cause) {
    if (cause instanceof Error && cause.name === "AppError") throw cause;
    throw unreadable("xlsx", "The file is not a well-formed XLSX workbook.", cause);
  }
}

type Parts = { zip: ZipFile; entries: Map<string, Entry> };

async function partsOf(bytes: Uint8Array): Promise<Parts> {
  // yauzl refuses an entry that unpacks to another size than it states.
  const zip = await openZip(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), { lazyEntries: true });
  const entries = new Map<string, Entry>();
  let unpacked = 0;
  await new Promise<void>((resolve, reject) => {
    zip.on("error", reject);
    zip.on("end", resolve);
    zip.on("entry", (entry: Entry) => {
      unpacked += entry.uncompressedSize;
      if (entries.size >= MAX_ENTRIES || unpacked > MAX_UNPACKED_BYTES) return reject(tooLarge());
      entries.set(entry.fileName, entry);
      zip.readEntry();
    });
    zip.readEntry();
  });
  return { zip, entries };
}

type Part = Parts & { entry: Entry };

function partNamed(parts: Parts, name: string): Part {
  const entry = parts.entries.get(name);
  if (entry === undefined) throw unreadable("xlsx", `The workbook has no part ${name}.`);
  return { ...parts, entry };
}

type Handlers = {
  open?: (name: string, attributes: Record<string, string>, isEmpty: boolean) => void;
  text?: (text: string) => void;
  close?: (name: string) => void;
};

/** Parse a part as XML; yields after each piece of it. DOCTYPEs are refused, so no entity can grow. */
async function* parsePart({ zip, entry }: Part, { open, text, close }: Handlers): AsyncGenerator<void> {
  const parser = new SaxesParser();
  const local = (name: string) => name.slice(name.indexOf(":") + 1);
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("doctype", () => {
    throw unreadable("xlsx", "A workbook has no DOCTYPE.");
  });
  if (open !== undefined)
    parser.on("opentag", ({ name, attributes, isSelfClosing }) => open(local(name), attributes, isSelfClosing));
  if (text !== undefined) parser.on("text", text);
  if (close !== undefined) parser.on("closetag", ({ name }) => close(local(name)));
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const stream = await new Promise<Readable>((resolve, reject) =>
    zip.openReadStream(entry, (error, opened) => (error ? reject(error) : resolve(opened))),
  );
  try {
    for await (const bytes of stream as AsyncIterable<Buffer>) {
      parser.write(decoder.decode(bytes, { stream: true }));
      yield;
    }
    parser.write(decoder.decode()).close();
    yield;
  } finally {
    stream.destroy();
  }
}

async function readWorkbook(parts: Parts): Promise<Workbook> {
  let relation: string | undefined;
  let from1904 = false;
  const readBook = (name: string, attributes: Record<string, string>) => {
    if (name === "workbookPr") from1904 = attributes.date1904 === "1" || attributes.date1904 === "true";
    if (name === "sheet" && relation === undefined) relation = attributes["r:id"];
  };
  for await (const _ of parsePart(partNamed(parts, "xl/workbook.xml"), { open: readBook }));
  let target: string | undefined;
  const readRelation = (name: string, { Id, Target }: Record<string, string>) => {
    if (name === "Relationship" && Id === relation) target = Target;
  };
  for await (const _ of parsePart(partNamed(parts, "xl/_rels/workbook.xml.rels"), { open: readRelation }));
  if (relation === undefined || target === undefined) throw unreadable("xlsx", "The workbook has no sheet.");
  return { sheet: target.startsWith("/") ? target.slice(1) : `xl/${target}`, from1904 };
}

/** Texts that cells refer to by number. */
async function readSharedTexts(parts: Parts): Promise<string[]> {
  if (!parts.entries.has("xl/sharedStrings.xml")) return [];
  const texts: string[] = [];
  let size = 0;
  let current = "";
  let isText = false;
  let isPhonetic = false;
  const handlers: Handlers = {
    open: (name) => {
      if (name === "si") current = "";
      if (name === "rPh") isPhonetic = true;
      isText = name === "t" && !isPhonetic;
    },
    text: (text) => {
      if (isText) current += text;
    },
    close: (name) => {
      if (name === "t") isText = false;
      if (name === "rPh") isPhonetic = false;
      if (name !== "si") return;
      size += current.length + 1;
      if (size > MAX_TEXT_CHARACTERS) throw tooLarge();
      texts.push(current);
    },
  };
  for await (const _ of parsePart(partNamed(parts, "xl/sharedStrings.xml"), handlers));
  return texts;
}

async function* readSheet(part: Part, shared: readonly string[]): AsyncGenerator<string[]> {
  let rows: string[][] = [];
  let cells: string[] = [];
  let column = 0;
  let type = "n";
  let value = "";
  let size = 0;
  let isValue = false;
  const handlers: Handlers = {
    open: (name, attributes) => {
      if (name === "row") {
        cells = [];
        column = 0;
        size = 0;
      } else if (name === "c") {
        column = attributes.r === undefined ? column : columnOf(attributes.r);
        type = attributes.t ?? "n";
        value = "";
      } else if (name === "v" || name === "t") {
        isValue = true;
      }
    },
    text: (text) => {
      if (!isValue) return;
      value += text;
      size += text.length;
      if (size > MAX_ROW_CHARACTERS) throw unreadable("row-size", "A row is too long.");
    },
    close: (name) => {
      if (name === "v" || name === "t") isValue = false;
      if (name === "c") {
        const text = type === "s" ? shared[Number(value)] : value;
        if (text === undefined) throw unreadable("xlsx", "A cell refers to a text that the workbook does not have.");
        while (cells.length < column) cells.push("");
        cells[column] = text.trim();
        column += 1;
      }
      if (name === "row" && cells.some((cell) => cell !== "")) rows.push(cells);
    },
  };
  for await (const _ of parsePart(part, handlers)) {
    yield* rows;
    rows = [];
  }
}

/** Column of a cell's reference, from 0: 1 for `B7`. */
function columnOf(reference: string): number {
  const letters = /^[A-Z]{1,3}(?=\d)/.exec(reference)?.[0] ?? "";
  const column = [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
  if (column < 0 || column >= MAX_COLUMNS)
    throw unreadable("xlsx", `Cell ${reference.slice(0, 20)} is not one of the first ${MAX_COLUMNS} columns.`);
  return column;
}

/** The row with as many cells as the header; further cells stay if one of them has a value. */
function padded(cells: string[], width: number): string[] {
  const rest = cells.slice(width);
  const own = Array.from({ length: width }, (_, i) => cells[i] ?? "");
  return rest.some((cell) => cell !== "") ? [...own, ...rest] : own;
}

/** `YYYY-MM-DD` of a day's number in a workbook; other text as it is. */
function dayText(cell: string, from1904: boolean): string {
  if (!/^\d{1,6}(\.0+)?$/.test(cell)) return cell;
  const start = from1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, 30);
  return new Date(start + Number.parseInt(cell, 10) * 86_400_000).toISOString().slice(0, 10);
}

function tooLarge() {
  return unreadable("unpacked-size", "The workbook unpacks to more than an import takes. Save it as CSV instead.");
}
