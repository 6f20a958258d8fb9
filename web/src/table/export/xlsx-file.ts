import { strToU8, Zip, ZipDeflate } from "fflate";
import type { FileWriter } from "./file-writer.ts";

const xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const office = "http://schemas.openxmlformats.org";
const main = `${office}/spreadsheetml/2006/main`;
const relationships = `${office}/officeDocument/2006/relationships`;
const sheetType = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/** The parts of a workbook with one sheet, besides the sheet. */
const parts = {
  "[Content_Types].xml":
    `<Types xmlns="${office}/package/2006/content-types">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    '<Default Extension="xml" ContentType="application/xml"/>' +
    `<Override PartName="/xl/workbook.xml" ContentType="${sheetType}.sheet.main+xml"/>` +
    `<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${sheetType}.worksheet+xml"/></Types>`,
  "_rels/.rels":
    `<Relationships xmlns="${office}/package/2006/relationships">` +
    `<Relationship Id="rId1" Type="${relationships}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  "xl/workbook.xml":
    `<workbook xmlns="${main}" xmlns:r="${relationships}">` +
    '<sheets><sheet name="Hearth" sheetId="1" r:id="rId1"/></sheets></workbook>',
  "xl/_rels/workbook.xml.rels":
    `<Relationships xmlns="${office}/package/2006/relationships">` +
    `<Relationship Id="rId1" Type="${relationships}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
};

/** Write an XLSX file with one sheet. Every cell is text, so that numbers keep all their digits. */
export function xlsxFile(header: string[]): FileWriter {
  const chunks: BlobPart[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    chunks.push(chunk as Uint8Array<ArrayBuffer>);
  });
  const begin = (name: string) => {
    const part = new ZipDeflate(name, { level: 6 });
    zip.add(part);
    return part;
  };
  for (const [name, content] of Object.entries(parts)) begin(name).push(strToU8(xml + content), true);
  const sheet = begin("xl/worksheets/sheet1.xml");
  sheet.push(strToU8(`${xml}<worksheet xmlns="${main}"><sheetData>`));
  let count = 0;
  const add = (rows: string[][]) => {
    const text = rows.map((cells) => {
      count += 1;
      return rowOf(cells, count);
    });
    sheet.push(strToU8(text.join("")));
  };
  add([header]);
  return {
    add,
    end: () => {
      sheet.push(strToU8("</sheetData></worksheet>"), true);
      zip.end();
      return new Blob(chunks, { type: `${sheetType}.sheet` });
    },
  };
}

function rowOf(cells: string[], row: number): string {
  const shown = cells.map(
    (text, column) =>
      `<c r="${letters(column)}${row}" t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`,
  );
  return `<row r="${row}">${shown.join("")}</row>`;
}

/** Name of a column from 0: A to Z, then AA. */
function letters(column: number): string {
  const rest = Math.floor(column / 26);
  return `${rest === 0 ? "" : letters(rest - 1)}${String.fromCharCode(65 + (column % 26))}`;
}

const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Text of XML 1.0, which has no control characters and no single surrogates. */
function escaped(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "\ufffd")
    .replaceAll(/[&<>"]/g, (sign) => entities[sign] ?? "");
}
