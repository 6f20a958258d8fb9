// For older browsers, too: the other build of pdf.js needs one of the last months.
import {
  getDocument,
  InvalidPDFException,
  PasswordException,
  type PDFDocumentProxy,
  PDFWorker,
} from "pdfjs-dist/legacy/build/pdf.mjs";
import Parser from "pdfjs-dist/legacy/build/pdf.worker.min.mjs?worker";
import jbig2 from "pdfjs-dist/wasm/jbig2.wasm?url";
import openjpeg from "pdfjs-dist/wasm/openjpeg.wasm?url";
import qcms from "pdfjs-dist/wasm/qcms_bg.wasm?url";

/** Code that reads some pictures of scanned pages, by the name that the worker asks for. It is fetched when a page has such a picture. */
const decoders: Record<string, string> = { "jbig2.wasm": jbig2, "openjpeg.wasm": openjpeg, "qcms_bg.wasm": qcms };

class Decoders {
  /** @throws Error for what is not served, such as fonts: the browser's own are used */
  async fetch({ filename }: { filename: string }): Promise<Uint8Array> {
    const url = decoders[filename];
    if (url === undefined) throw new Error(`The console has no ${filename}.`);
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`${url}: ${answer.status}`);
    return new Uint8Array(await answer.arrayBuffer());
  }
}

export type OpenPdf = {
  /** Rejects when the content cannot be read as a PDF; `reasonOf` says why. */
  document: Promise<PDFDocumentProxy>;
  /** End the worker. */
  close: () => void;
};

/** Parse a PDF in a worker. None of the scripts that it may contain is run. */
export function openPdf(content: Blob): OpenPdf {
  const port = new Parser();
  const worker = PDFWorker.create({ port });
  const lost = new Promise<never>((_, reject) => {
    port.addEventListener("error", () => reject(new Error("The worker that reads PDFs did not start.")), {
      once: true,
    });
  });
  const load = async () => {
    const data = new Uint8Array(await content.arrayBuffer());
    return await getDocument({ data, worker, useWorkerFetch: false, wasmUrl: "/", BinaryDataFactory: Decoders })
      .promise;
  };
  const close = () => {
    worker.destroy();
    port.terminate();
  };
  return { document: Promise.race([load(), lost]), close };
}

/** Why a PDF cannot be shown; undefined for what is not the file's fault. */
export function reasonOf(error: unknown): "broken" | "locked" | undefined {
  if (error instanceof PasswordException) return "locked";
  return error instanceof InvalidPDFException ? "broken" : undefined;
}
