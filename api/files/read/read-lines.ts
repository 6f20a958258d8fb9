import { AppError, type RuleDetail } from "../../platform/errors.ts";
import { cutLines, notText } from "../content/lines.ts";
import type { FileContext, FileRef } from "../deps.ts";
import { type OpenedContent, openContent } from "./open-content.ts";

export type LinesInput = {
  /** First line, from 1; default 1. */
  offset?: number | undefined;
  /** Most lines, 1 to 5000; default 2000. */
  limit?: number | undefined;
};

/** `text`: each line, prefixed by its number and a tab. Contains fewer lines than requested if they are very long. */
export type NumberedLines = { text: string; offset: number; count: number; hasMore: boolean; totalLines: number };

const maxLines = 5_000;
const maxFileBytes = 256 * 1024 ** 2;
/** A response contains at most this many bytes. */
const maxTextBytes = 4 * 1024 ** 2;

/**
 * Read lines of a text file's head, or of a retained version.
 * @throws AppError FORBIDDEN; NOT_FOUND; INVALID_INPUT; RULE_VIOLATION when it is not text; TOO_LARGE
 */
export async function readLines(
  ctx: FileContext,
  { ref, version, ...input }: LinesInput & { ref: FileRef; version?: number | undefined },
): Promise<NumberedLines> {
  requireInput(input);
  return await readLinesOf(await openContent(ctx, { ref, version }), input);
}

/** As readLines, for content that is already open. */
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
    details.push({ path: "offset", rule: "range", message: "`offset` must be a line number, from 1." });
  }
  if (!Number.isInteger(limit) || limit < 1 || limit > maxLines) {
    details.push({ path: "limit", rule: "range", message: `\`limit\` must be from 1 to ${maxLines}.` });
  }
  if (details.length > 0) throw new AppError("INVALID_INPUT", "The range of lines is not valid.", { details });
  return { offset, limit };
}

function tooLarge(what: "file" | "line", bytes: number): AppError {
  const message = `A ${what} of more than ${bytes} bytes cannot be read by lines; read its content by ranges.`;
  return new AppError("TOO_LARGE", message, { details: [{ rule: `${what}-size`, message }] });
}
