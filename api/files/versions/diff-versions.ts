import { buffer } from "node:stream/consumers";
import type { Operation } from "fast-json-patch";
import { isSafeNumber, parse } from "lossless-json";
import { AppError } from "../../platform/errors.ts";
import { notText } from "../content/lines.ts";
import type { FileContext, FileRef } from "../deps.ts";
import { type OpenedContent, openContent } from "../read/open-content.ts";
import { mayBeText } from "../search/words.ts";

export type VersionDiff = {
  fileId: string;
  path: string;
  from: { version: number; cid: string };
  to: { version: number; cid: string };
  /** Unified diff with three lines around each change; empty when the texts are equal. */
  diff: string;
  /** JSON patch (RFC 6902) if both versions are JSON and their numbers are exact in JavaScript; otherwise null. */
  patch: Operation[] | null;
};

const maxBytes = 1024 ** 2;
const maxJsonDepth = 500;
/** Limits the work for texts that have almost nothing in common. */
const maxEdits = 5_000;
const diffMs = 1_000;

/**
 * Compare two retained versions of a text file.
 * @throws AppError FORBIDDEN; NOT_FOUND; RULE_VIOLATION when one is not text; TOO_LARGE beyond 1 MiB, or for too many differences
 */
export async function diffVersions(
  ctx: FileContext,
  { ref, from, to }: { ref: FileRef; from: number; to: number },
): Promise<VersionDiff> {
  const older = await openContent(ctx, { ref, version: from });
  // Read by id, because another file may have taken the path.
  const newer = await openContent(ctx, { ref: { id: older.file.id }, version: to });
  const [before, after] = [await readText(older), await readText(newer)];
  return {
    fileId: newer.file.id,
    path: newer.file.path,
    from: { version: older.version, cid: older.cid },
    to: { version: newer.version, cid: newer.cid },
    diff: await unifiedDiff(newer.file.path, { from, to }, before, after),
    patch: isJson(older.mimeType) && isJson(newer.mimeType) ? await jsonPatch(before, after) : null,
  };
}

async function readText(opened: OpenedContent): Promise<string> {
  if (opened.size > maxBytes) throw tooLarge(`Versions of more than ${maxBytes} bytes cannot be compared.`);
  const bytes = await buffer(opened.stream());
  if (!mayBeText(opened.mimeType) || bytes.includes(0)) throw notText();
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw notText();
  }
}

async function unifiedDiff(
  path: string,
  { from, to }: { from: number; to: number },
  before: string,
  after: string,
): Promise<string> {
  if (before === after) return "";
  const { createTwoFilesPatch } = await import("diff");
  const options = { context: 3, maxEditLength: maxEdits, timeout: diffMs };
  const diff = createTwoFilesPatch(`a${path}`, `b${path}`, before, after, `version ${from}`, `version ${to}`, options);
  if (diff === undefined) throw tooLarge("The versions differ too much to be compared; read both.");
  return diff;
}

/** Returns null when a text is not JSON, is nested too deeply, or has numbers that JavaScript would change. */
async function jsonPatch(before: string, after: string): Promise<Operation[] | null> {
  const [older, newer] = [readJson(before), readJson(after)];
  if (older === undefined || newer === undefined) return null;
  const { default: fastJsonPatch } = await import("fast-json-patch");
  const patch = fastJsonPatch.compare({ root: older.value } as object, { root: newer.value } as object);
  return patch.map((operation) => ({ ...operation, path: operation.path.slice("/root".length) }));
}

function readJson(text: string): { value: unknown } | undefined {
  if (depthOf(text) > maxJsonDepth) return undefined;
  try {
    return { value: parse(text, null, { parseNumber: exactNumber }) };
  } catch {
    return undefined;
  }
}

function exactNumber(text: string): number {
  if (!isSafeNumber(text)) throw new RangeError("a number that would lose digits");
  return Number(text);
}

/** Upper bound of the nesting of the text's arrays and objects. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth += bracket === "[" || bracket === "{" ? 1 : -1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

function isJson(mimeType: string): boolean {
  return /^application\/(.+\+)?json\b/i.test(mimeType);
}

function tooLarge(message: string): AppError {
  return new AppError("TOO_LARGE", message, { details: [{ rule: "diff-size", message }] });
}
