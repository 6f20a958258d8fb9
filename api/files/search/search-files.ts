import { AppError, type RuleDetail } from "../../platform/errors.ts";
import { decodeCursor, encodeCursor } from "../../platform/http/index.ts";
import { parseFolder } from "../../platform/ucan/index.ts";
import { eventBy } from "../audit/event-by.ts";
import type { FileContext } from "../deps.ts";
import { type FileMetadata, type FoundFile, toMetadata } from "../records/file-metadata.ts";
import { limitOf, type Page, type PageInput, rowsOf } from "../tree/pages.ts";
import { readHead, withContent } from "./read-head.ts";
import { type Candidate, type SearchPosition, searchCandidates } from "./search-candidates.ts";
import { eachWord, textOf, wordsIn } from "./words.ts";

/** A line that contains one of the words, or the part of the line around the word. */
export type Snippet = { line: number; text: string };
export type SearchHit = { file: FileMetadata; snippets: Snippet[] };
export type SearchInput = PageInput & { q: string; path?: string | undefined };

const maxQueryLength = 512;
const maxWords = 16;
const maxSnippets = 3;
/** Number of heads in memory together. */
const confirmedAtOnce = 16;
/** Characters shown before and after a word. */
const around = 80;

/**
 * Find text files that contain all of the words within their first 256 KiB, regardless of case and form, in no particular order.
 * The database finds candidates by their tags, and each candidate is read to confirm the match.
 * @throws AppError FORBIDDEN; INVALID_INPUT for a query without words
 */
export async function searchFiles(ctx: FileContext, input: SearchInput): Promise<Page<SearchHit>> {
  ctx.access.requireAbility("fs/read");
  const words = wordsOfQuery(input.q);
  const limit = limitOf(input);
  const hits: SearchHit[] = [];
  let at = positionOf(input.cursor);
  const candidates = searchCandidates(ctx, { words, within: parseFolder(input.path ?? "/"), from: at });
  while (hits.length < limit) {
    const some = await take(candidates, Math.min(limit - hits.length, confirmedAtOnce));
    const last = some.at(-1);
    if (last === undefined) return { items: hits, nextCursor: null };
    hits.push(...(await confirm(ctx, some, words)));
    at = last.position;
  }
  const more = (await take(candidates, 1)).length > 0;
  return { items: hits, nextCursor: more ? encodeCursor([at.after, at.group, at.fileId]) : null };
}

async function take(candidates: AsyncGenerator<Candidate>, count: number): Promise<Candidate[]> {
  const taken: Candidate[] = [];
  while (taken.length < count) {
    const next = await candidates.next();
    if (next.done === true) break;
    taken.push(next.value);
  }
  return taken;
}

/** Read the candidates and keep those that contain the words, because different words may have equal tags. */
async function confirm(
  ctx: FileContext,
  candidates: readonly Candidate[],
  words: readonly string[],
): Promise<SearchHit[]> {
  const rows = await rowsOf(ctx, "fs/read", candidates);
  const hits = await Promise.all(rows.map((row) => confirmOne(ctx, row, words)));
  return hits.filter((hit) => hit !== undefined);
}

async function confirmOne(ctx: FileContext, row: FoundFile, words: readonly string[]): Promise<SearchHit | undefined> {
  return await withContent(ctx, row, async (open) => {
    const { file, details } = open;
    const text = textOf(details.mimeType, await readHead(ctx, open));
    const places = text === undefined ? undefined : placesOf(text, words);
    if (text === undefined || places === undefined) return undefined;
    ctx.deps.files.audit.recordRead({ ...eventBy(ctx), kind: "read", fileId: row.id, version: file.version });
    return { file: toMetadata(file, details, ctx.deps.config.publicUrl), snippets: snippetsOf(text, places) };
  });
}

/** Find the first position of each word; undefined when one is missing. */
function placesOf(text: string, words: readonly string[]): number[] | undefined {
  const missing = new Set(words);
  const places: number[] = [];
  for (const { word, start } of eachWord(text)) {
    if (missing.delete(word)) places.push(start);
    if (missing.size === 0) return places;
  }
  return undefined;
}

function snippetsOf(text: string, places: readonly number[]): Snippet[] {
  const snippets: Snippet[] = [];
  for (const place of places) {
    const begin = text.lastIndexOf("\n", place - 1) + 1;
    const found = text.indexOf("\n", place);
    const end = found === -1 ? text.length : found;
    const line = place === 0 ? 1 : text.slice(0, begin).split("\n").length;
    if (snippets.some((snippet) => snippet.line === line)) continue;
    const shown = text.slice(Math.max(begin, place - around), Math.min(end, place + around));
    snippets.push({ line, text: shown.toWellFormed().trim() });
    if (snippets.length === maxSnippets) break;
  }
  return snippets;
}

function wordsOfQuery(q: string): string[] {
  const words = wordsIn(q);
  const details: RuleDetail[] = [];
  const broken = (rule: string, message: string) => details.push({ path: "q", rule, message });
  if (q.length > maxQueryLength) broken("length", `A query may have at most ${maxQueryLength} characters.`);
  if (words.length === 0) broken("words", "A query needs at least one word of 1 to 64 letters or digits.");
  if (words.length > maxWords) broken("words", `A query may have at most ${maxWords} different words.`);
  if (details.length > 0) throw new AppError("INVALID_INPUT", "The query is not valid.", { details });
  return words;
}

function positionOf(cursor: string | undefined): SearchPosition {
  const [after = "", group = "", fileId = ""] = (decodeCursor(cursor, 3) ?? []).map(String);
  return { after, group, fileId };
}
