import { AppError, type RuleDetail } from "../../platform/errors.ts";
import { cutLines, notText } from "../content/lines.ts";
import type { FileContext, FileRef } from "../deps.ts";
import { type OpenedContent, openContent } from "./open-content.ts";

export type LinesInput = {
  /** First line, from 1; 1 unless told. */
  offset?: number | undefined;
  /** Most lines, 1 to 5000; 2000 unless told. */
  limit?: number | undefined;
};

/** `text`: each line with its number before it and a tab between. Fewer lines than asked for when they are very long. */
export type NumberedLines = { text: string; offset: number; count: number; hasMore: boolean; totalLines: number };

const maxLines = 5_000;
const maxFileBytes = 256 * 1024 ** 2;
/** An answer ends before it grows larger than this. */
const maxTextBytes = 4 * 1024 ** 2;

/**
 * Lines of a text file's head, or of a retained version.
 * @throws AppError FORBIDDEN; NOT_FOUND; INVALID_INPUT; RULE_VIOLATION when it is not text; TOO_LARGE
 */
export async function readLines(
  ctx: FileContext,
  { ref, version, ...input }: LinesInput & { ref: FileRef; version?: number | undefined },
): Promise<NumberedLines> {
  requireInput(input);
  return await readLinesOf(await openContent(ctx, { ref, version }), input);
}

/** As readLines, of content that is open already. */
export async function readLinesOf(opened: OpenedContent, input: LinesInput): Promise<NumberedLines> {
  const { offset, limit } = requireInput(input);
  if (opened.size > maxFileBytes) throw tooLarge("file", maxFileBytes);
  const shown: string[] = [];
  let room = maxTextBytes;
  let total = 0;
  let begun: Buffer[] = [];
  for await (const lines of cutLines(opened.stream())) {
    for (const { bytes, whole } of lines) {
      if (bytes.includes(0)) throw notText();
      const wanted = total + 1 >= offset && shown.length < limit && room > 0;
      if (wanted) {
        begun.push(bytes);
        room -= bytes.length;
      }
      if (!whole) continue;
      total += 1;
      if (wanted && room > 0) shown.push(`${String(total).padStart(6)}\t${decode(Buffer.concat(begun))}`);
      begun = [];
    }
  }
  if (room <= 0 && shown.length === 0) throw tooLarge("line", maxTextBytes);
  const count = shown.length;
  return { text: shown.join("\n"), offset, count, hasMore: offset - 1 + count < total, totalLines: total };
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw notText();
  }
}

function requireInput({ offset = 1, limit = 2_000 }: LinesInput): { offset: number; limit: number } {
  const details: RuleDetail[] = [];
  if (!Number.isInteger(offset) || offset < 1) {
    details.push({ path: "offset", rule: "range", message: "`offset` is a line's number, from 1." });
  }
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLines) {
    details.push({ path: "limit", rule: "range", message: `\`limit\` is from 1 to ${maxLines}.` });
  }
  if (details.length > 0) throw new AppError("INVALID_INPUT", "These are not lines of a file.", { details });
  return { offset, limit };
}

function tooLarge(what: "file" | "line", bytes: number): AppError {
  const message = `A ${what} of more than ${bytes} bytes is not shown by lines; read its content by ranges.`;
  return new AppError("TOO_LARGE", message, { details: [{ rule: `${what}-size`, message }] });
}
