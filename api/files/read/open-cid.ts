import { and, asc, desc, eq, inArray, isNull, type SQL } from "drizzle-orm";
import { type MultihashKey, notFound, parseCid } from "../../platform/ucan/index.ts";
import type { FileContext } from "../deps.ts";
import { DamagedFileError } from "../records/damaged-file.ts";
import { detailsOf, unlock, whileRotating } from "../records/find-file.ts";
import { fileColumns } from "../records/lookup.ts";
import { files, fileVersions } from "../records/tables.ts";
import { visibleWhere } from "../visibility/visible-where.ts";
import { type FoundVersion, headVersion, type OpenedContent, prepareContent } from "./open-content.ts";

/**
 * Open the bytes of a CID, in any multibase: of a live head that the caller may see, else of a retained version. @throws AppError
 * INVALID_INPUT for a malformed CID; FORBIDDEN outside the token's CIDs; NOT_FOUND, the same for every reason
 */
export async function openCid(ctx: FileContext, { cid: text }: { cid: string }): Promise<OpenedContent> {
  const cid = parseCid(text);
  ctx.access.requireCid(cid.key);
  const found = await findCid(ctx, cid.key);
  if (found === undefined) throw notFound();
  return prepareContent(ctx, found);
}

/** Find a version with this CID that the caller may read: heads first, then history; the oldest file first. */
export async function findCid(ctx: FileContext, cid: MultihashKey): Promise<FoundVersion | undefined> {
  const { access, deps } = ctx;
  const { owner } = access.grant;
  const visible = visibleWhere(access.cidVisibility(cid));
  return await whileRotating(async () => {
    const tags = await deps.files.keys.cidTags(owner, cid);
    if (tags.length === 0) return undefined;
    const seen = and(eq(files.namespace, owner), isNull(files.trashedAt), visible);
    return (await findHead(ctx, and(inArray(files.cidTag, tags), seen))) ?? (await findOld(ctx, tags, seen));
  });
}

/** Most rows of one CID that are tried; the first undamaged one is served. */
const mostRows = 50;

async function findHead({ deps }: FileContext, where: SQL | undefined): Promise<FoundVersion | undefined> {
  const found = await deps.db.select(fileColumns).from(files).where(where).orderBy(asc(files.id)).limit(mostRows);
  return await firstGood(found, async (file) => headVersion(await unlock(deps, file)));
}

async function findOld(
  { deps }: FileContext,
  tags: readonly Uint8Array[],
  seen: SQL | undefined,
): Promise<FoundVersion | undefined> {
  const found = await deps.db
    .select({ file: fileColumns, row: fileVersions })
    .from(fileVersions)
    .innerJoin(files, eq(files.id, fileVersions.fileId))
    .where(and(inArray(fileVersions.cidTag, [...tags]), seen))
    .orderBy(asc(fileVersions.fileId), desc(fileVersions.version))
    .limit(mostRows);
  return await firstGood(found, async ({ file, row }) => {
    const head = await unlock(deps, file);
    return { head, row, version: row.version, details: detailsOf(head.key, file.id, row) };
  });
}

async function firstGood<Row>(
  rows: readonly Row[],
  open: (row: Row) => Promise<FoundVersion>,
): Promise<FoundVersion | undefined> {
  for (const row of rows) {
    try {
      return await open(row);
    } catch (error) {
      if (!(error instanceof DamagedFileError)) throw error;
    }
  }
  return undefined;
}
