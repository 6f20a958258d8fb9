import { AppError } from "../../platform/errors.ts";

/** One line of a stream of bytes. */
export type Line = {
  /** Without its line end. */
  bytes: Buffer;
  /** Byte offset in the stream at which the next line begins. */
  next: number;
  /** False for a piece of a line longer than `maxLineBytes`, of which more follows. */
  whole: boolean;
};

/** Longer lines are cut into pieces of this size, in bytes. */
export const maxLineBytes = 16_384;
const newline = 0x0a;
const carriageReturn = 0x0d;

/** Cut a stream into lines, one batch per chunk. A line ends with LF or CRLF; text after the last line end is a line too. */
export async function* cutLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<Line[]> {
  let rest: Buffer = Buffer.alloc(0);
  let position = 0;
  for await (const chunk of source) {
    const buffer = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const bytes = rest.length === 0 ? buffer : Buffer.concat([rest, buffer]);
    const lines: Line[] = [];
    let at = 0;
    for (;;) {
      const end = bytes.indexOf(newline, at);
      const stop = end === -1 ? bytes.length : end;
      while (stop - at > maxLineBytes) {
        lines.push({ bytes: bytes.subarray(at, at + maxLineBytes), next: position + at + maxLineBytes, whole: false });
        at += maxLineBytes;
      }
      if (end === -1) break;
      lines.push({ bytes: withoutReturn(bytes.subarray(at, end)), next: position + end + 1, whole: true });
      at = end + 1;
    }
    position += at;
    rest = bytes.subarray(at);
    yield lines;
  }
  if (rest.length > 0) yield [{ bytes: withoutReturn(rest), next: position + rest.length, whole: true }];
}

function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === carriageReturn ? line.subarray(0, -1) : line;
}

export function notText(): AppError {
  const message = "This is not a text file in UTF-8; read its content as bytes.";
  return new AppError("RULE_VIOLATION", message, { details: [{ rule: "text-file", message }] });
}
