import { AppError } from "../../platform/errors.ts";
import type { FileContext, FileRef } from "../deps.ts";
import { streamContent } from "../read/open-content.ts";
import type { FileMetadata } from "../records/file-metadata.ts";
import { type OpenFile, openFile } from "../records/find-file.ts";
import { summarizeHead } from "./errors.ts";
import { writeNewVersion } from "./new-version.ts";
import { type Preconditions, requirePreconditions } from "./preconditions.ts";
import { withoutRevert } from "./write-file.ts";

export type EditInput = Preconditions & { ref: FileRef; oldString: string; newString: string; replaceAll?: boolean };

/** Largest text that can be edited in place, in bytes, because it is edited in memory. */
export const editLimit = 16 * 1024 * 1024;

/**
 * Replace a passage of a text file, which must occur exactly once unless `replaceAll`.
 * @throws AppError CONFLICT `oldString not found` or `oldString appears N times`, with the head; INVALID_INPUT; RULE_VIOLATION
 * when the file is not UTF-8 text; TOO_LARGE; and what writeFile throws
 */
export async function editFile(ctx: FileContext, input: EditInput): Promise<FileMetadata & { replacements: number }> {
  const { oldString, newString, replaceAll = false } = input;
  if (oldString === "") {
    throw new AppError("INVALID_INPUT", "oldString must not be empty.", {
      details: [{ path: "oldString", rule: "range", message: "Set it to the text to replace." }],
    });
  }
  const head = await openFile(ctx, "fs/write", input.ref);
  requirePreconditions(head, input);
  const text = await readText(ctx, head);
  const found = countOf(text, oldString);
  if (found === 0) throw mismatch(head, "oldString not found");
  if (found > 1 && !replaceAll) throw mismatch(head, `oldString appears ${found} times`);
  const growth = Buffer.byteLength(newString) - Buffer.byteLength(oldString);
  if (head.file.size + found * growth > editLimit) throw tooLong(head);
  const bytes = Buffer.from(
    text.replaceAll(oldString, () => newString),
    "utf8",
  );
  const { mimeType, metadata } = head.details;
  const { file } = await writeNewVersion(ctx, head, {
    source: once(bytes),
    declaredSize: bytes.length,
    mimeType,
    metadata: withoutRevert(metadata),
    kind: "edit",
  });
  return { ...file, replacements: found };
}

async function readText(ctx: FileContext, head: OpenFile): Promise<string> {
  const { file, key } = head;
  if (file.size > editLimit) throw tooLong(head);
  const chunks: Uint8Array[] = [];
  for await (const chunk of streamContent(ctx, { fileId: file.id, key, row: file })) chunks.push(chunk);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.concat(chunks));
  } catch (cause) {
    const message = "Only UTF-8 text can be edited; write the whole file instead.";
    throw new AppError("RULE_VIOLATION", message, { cause, details: [{ rule: "utf8-text", message }] });
  }
}

function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) count += 1;
  return count;
}

function tooLong(head: OpenFile): AppError {
  const message = `A text of more than ${editLimit} bytes cannot be edited in place; write the whole file instead.`;
  return new AppError("TOO_LARGE", message, { details: [{ rule: "edit-limit", message }], extra: summarizeHead(head) });
}

function mismatch(head: OpenFile, message: string): AppError {
  const details = [{ path: "oldString", rule: "occurs-once", message }];
  return new AppError("CONFLICT", message, { details, extra: summarizeHead(head) });
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
