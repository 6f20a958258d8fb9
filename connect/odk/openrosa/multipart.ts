import { Readable } from "node:stream";
import busboy from "busboy";
import { mostFileBytes } from "../../records/photo.ts";
import { OpenRosaError } from "./answer.ts";

export type Part = { name: string; filename: string; mimeType: string; bytes: Buffer };

export const recordPart = "xml_submission_file";
/** Clients split a record at 100 files, and each request has the record itself. */
const mostFiles = 101;
/** Largest text field; a client may send the record as one, without the name of a file. */
const mostFieldBytes = 4 * 1024 * 1024;

/**
 * Read the parts of a multipart body one by one, as they arrive; `onFile` is awaited before more of the body is read, so that it
 * limits how many files are in memory.
 * @param mostBytes largest body
 * @returns text fields, such as `*isIncomplete*`; the record is given to `onFile`, also if it is a text field
 * @throws OpenRosaError for a body that is too large or not multipart; whatever `onFile` throws
 */
export async function readMultipart(
  body: ReadableStream<Uint8Array> | null,
  contentType: string | undefined,
  { mostBytes, onFile }: { mostBytes: number; onFile: (part: Part) => Promise<void> },
): Promise<Map<string, string>> {
  if (body === null || !/^multipart\/form-data\b/i.test(contentType ?? "")) {
    throw new OpenRosaError(400, "notMultipart");
  }
  const fields = new Map<string, string>();
  const parser = openParser(contentType ?? "");
  let work: Promise<void> = Promise.resolve();
  let failure: unknown;
  const fail = (error: unknown) => {
    failure ??= error;
  };
  const give = (part: Part) => {
    work = work.then(() => (failure === undefined ? onFile(part) : undefined)).catch(fail);
  };
  parser.on("field", (name, value, { valueTruncated, mimeType }) => {
    if (valueTruncated) return fail(tooLarge(name, mostFieldBytes));
    if (name === recordPart) give({ name, filename: name, mimeType, bytes: Buffer.from(value) });
    else fields.set(name, value);
  });
  parser.on("filesLimit", () => fail(new OpenRosaError(413, "manyFiles", { limit: mostFiles })));
  parser.on("error", () => fail(cutOff()));
  parser.on("file", (name, stream, { filename, mimeType }) => {
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => void chunks.push(chunk));
    stream.on("error", () => fail(cutOff()));
    stream.on("close", () => {
      if (stream.truncated) fail(tooLarge(filename ?? name, mostFileBytes));
      if (failure !== undefined) return;
      give({ name, filename: filename ?? name, mimeType, bytes: Buffer.concat(chunks) });
    });
  });
  let size = 0;
  for await (const chunk of Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0])) {
    size += chunk.byteLength;
    if (size > mostBytes) throw tooLargeBody(mostBytes);
    await new Promise<void>((resolve) => parser.write(chunk, () => resolve()));
    await work;
    if (failure !== undefined) throw failure;
  }
  await new Promise<void>((resolve) => {
    parser.once("close", resolve);
    parser.once("error", () => resolve());
    parser.end();
  });
  await work;
  if (failure !== undefined) throw failure;
  return fields;
}

function openParser(contentType: string) {
  try {
    return busboy({
      headers: { "content-type": contentType },
      defParamCharset: "utf8",
      limits: {
        files: mostFiles,
        fileSize: mostFileBytes,
        fields: 10,
        fieldSize: mostFieldBytes,
        parts: mostFiles + 10,
      },
    });
  } catch {
    throw new OpenRosaError(400, "boundaryMissing");
  }
}

function cutOff(): OpenRosaError {
  return new OpenRosaError(400, "cutOff");
}

// The rest of such a request stays unread, so its connection cannot be used again.
const closing = { Connection: "close" };

export function tooLargeBody(mostBytes: number): OpenRosaError {
  return new OpenRosaError(413, "bodyTooLarge", { limit: mostBytes }, closing);
}

function tooLarge(name: string, limit: number): OpenRosaError {
  return new OpenRosaError(413, "fileTooLarge", { file: name, limit }, closing);
}
