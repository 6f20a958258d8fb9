import { decodeCursor, encodeCursor } from "../../platform/http/index.ts";
import type { MultihashKey } from "../../platform/ucan/index.ts";
import type { FileContext } from "../deps.ts";
import { isHidden } from "../records/file-metadata.ts";
import { unlockEach } from "../records/find-file.ts";
import { limitOf, type Page, type PageInput, rowsOf } from "../tree/pages.ts";
import { afterPath } from "../visibility/path-ranges.ts";
import { scanFiles } from "../visibility/scan-files.ts";
import { findCid } from "./open-cid.ts";
import { type FoundVersion, headVersion } from "./open-content.ts";

/** A CID that the caller can fetch. It has `fileId` and `path` if the caller may also list the file. */
export type CidEntry = {
  cid: string;
  size: number;
  contentHash: string;
  mimeType: string;
  /** True for a live head, false when only older versions have it. */
  current: boolean;
  fileId?: string;
  path?: string;
};

/** Position in the list: among the CIDs that the token is bound to, or among the files that it may read. */
type Position = { bound: MultihashKey } | { path: string; id: string };

/**
 * List CIDs that the caller can fetch: first the existing ones that its token names, then the heads of the files that it may
 * read, sorted by path.
 * @throws AppError FORBIDDEN when it can fetch none; INVALID_INPUT
 */
export async function listCids(ctx: FileContext, input: PageInput = {}): Promise<Page<CidEntry>> {
  const scopes = ctx.access.visibleCids();
  const limit = limitOf(input);
  const bound = [...new Set(scopes.flatMap(({ cids }) => [...(cids ?? [])]))].sort();
  const after = positionOf(input.cursor);
  const left = after === undefined ? bound : "bound" in after ? bound.filter((key) => key > after.bound) : [];
  if (left.length > 0) return await listBound(ctx, left, limit);
  return await listHeads(ctx, after !== undefined && "path" in after ? after : undefined, limit);
}

async function listBound(ctx: FileContext, keys: readonly MultihashKey[], limit: number): Promise<Page<CidEntry>> {
  const taken = keys.slice(0, limit);
  const found = await Promise.all(taken.map((key) => findCid(ctx, key)));
  const items = found.flatMap((each) => (each === undefined ? [] : [toEntry(ctx, each)]));
  const last = taken.at(-1);
  const more = keys.length > limit || ctx.access.allows("fs/read");
  return { items, nextCursor: more && last !== undefined ? encodeCursor([last, ""]) : null };
}

async function listHeads(
  ctx: FileContext,
  after: { path: string; id: string } | undefined,
  limit: number,
): Promise<Page<CidEntry>> {
  const visibility = ctx.access.visibility("fs/read");
  const from = after === undefined ? {} : { after, from: afterPath(after.path) };
  const scan = {
    namespace: ctx.access.grant.owner,
    visibility,
    within: "/",
    limit: limit + 1,
    trashed: false,
    ...from,
  };
  const found = await scanFiles(ctx.deps.db, scan);
  const kept = found.slice(0, limit);
  // A damaged file has no known CID; only the list of files contains it.
  const listed = await unlockEach(ctx.deps, await rowsOf(ctx, "fs/read", kept));
  const items = listed.flatMap(({ open }) => (open === undefined ? [] : [toEntry(ctx, headVersion(open))]));
  const last = kept.at(-1);
  const more = found.length > limit && last !== undefined;
  return { items, nextCursor: more ? encodeCursor([last.path, last.id]) : null };
}

function toEntry(ctx: FileContext, { head: { file }, row, details }: FoundVersion): CidEntry {
  const listed = ctx.access.canSee("fs/list", { path: file.path, hidden: isHidden(file) });
  const { cid, contentHash, mimeType } = details;
  const entry = { cid, size: row.size, contentHash, mimeType, current: row.blob === file.blob };
  return listed ? { ...entry, fileId: file.id, path: file.path } : entry;
}

/**
 * A cursor contains the last path and id of the previous page. Among CIDs it contains the CID's key instead of the path, and no
 * id.
 */
function positionOf(cursor: string | undefined): Position | undefined {
  const position = decodeCursor(cursor, 2);
  if (position === undefined) return undefined;
  const [first, id] = position.map(String) as [string, string];
  return id === "" ? { bound: first } : { path: first, id };
}
