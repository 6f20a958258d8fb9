import { buffer } from "node:stream/consumers";
import { AppError } from "../../platform/errors.ts";
import type { OpenedContent } from "../read/open-content.ts";
import { type LinesInput, type NumberedLines, readLinesOf } from "../read/read-lines.ts";

/** Largest binary content that a tool returns, in bytes. */
export const maxBinaryBytes = 4 * 1024 ** 2;

type Shown = Pick<OpenedContent, "version" | "cid" | "contentHash" | "size" | "mimeType">;
export type SerializedContent = Shown & (NumberedLines | { encoding: "base64"; content: string });

/**
 * Content as an agent reads it: numbered lines of text, or the base64 of what is not text.
 * @throws AppError TOO_LARGE for bytes beyond 4 MiB; what readLinesOf throws but for being no text
 */
export async function serializeContent(opened: OpenedContent, lines: LinesInput): Promise<SerializedContent> {
  const { version, cid, contentHash, size, mimeType } = opened;
  const shown = { version, cid, contentHash, size, mimeType };
  try {
    return { ...shown, ...(await readLinesOf(opened, lines)) };
  } catch (error) {
    if (!(error instanceof AppError) || !error.details.some(({ rule }) => rule === "text-file")) throw error;
  }
  if (size > maxBinaryBytes) {
    const message = `More than ${maxBinaryBytes} bytes that are not text are not shown; download the content.`;
    throw new AppError("TOO_LARGE", message, { details: [{ rule: "binary-size", message }] });
  }
  return { ...shown, encoding: "base64", content: (await buffer(opened.stream())).toString("base64") };
}
