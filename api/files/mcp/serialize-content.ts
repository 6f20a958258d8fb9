import { buffer } from "node:stream/consumers";
import { AppError } from "../../platform/errors.ts";
import type { OpenedContent } from "../read/open-content.ts";
import { type LinesInput, type NumberedLines, readLinesOf } from "../read/read-lines.ts";

/** Largest binary content that a tool returns, in bytes. */
export const maxBinaryBytes = 4 * 1024 ** 2;

type Shown = Pick<OpenedContent, "version" | "cid" | "contentHash" | "size" | "mimeType">;
export type SerializedContent = Shown & (NumberedLines | { encoding: "base64"; content: string });

/**
 * Serialize content for an agent: numbered lines of text, or base64 of other content. @throws AppError TOO_LARGE for more than 4
 * MiB of base64 content; what readLinesOf throws, except that content is not text
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
    const message = `Content that is not text is shown up to ${maxBinaryBytes} bytes; download it instead.`;
    throw new AppError("TOO_LARGE", message, { details: [{ rule: "binary-size", message }] });
  }
  return { ...shown, encoding: "base64", content: (await buffer(opened.stream())).toString("base64") };
}
