import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { getDocument, type PDFDocumentLoadingTask, type PDFPageProxy } from "pdfjs-dist/legacy/build/pdf.mjs";

const pdfFolder = dirname(createRequire(import.meta.url).resolve("pdfjs-dist/package.json"));

/** For tests: open a PDF as a reader of PDFs does. The caller destroys what this returns. */
export function openPdf(pdf: Buffer): PDFDocumentLoadingTask {
  return getDocument({
    data: new Uint8Array(pdf),
    standardFontDataUrl: `${join(pdfFolder, "standard_fonts")}/`,
    verbosity: 0,
  });
}

/** The text that a page shows, with a space between its pieces. */
export async function textOfPage(page: PDFPageProxy): Promise<string> {
  const { items } = await page.getTextContent();
  return items.map((item) => ("str" in item ? item.str : "")).join(" ");
}

/** The text of all pages of a PDF, in their order. */
export async function textOfPdf(pdf: Buffer): Promise<string> {
  const loading = openPdf(pdf);
  try {
    const document = await loading.promise;
    const pages: string[] = [];
    for (let number = 1; number <= document.numPages; number++) {
      pages.push(await textOfPage(await document.getPage(number)));
    }
    return pages.join("\n");
  } finally {
    await loading.destroy();
  }
}
