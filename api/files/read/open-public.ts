import { and, eq, inArray, isNull, type SQL, sql } from "drizzle-orm";
import { AppError } from "../../platform/errors.ts";
import { isDid, notFound, type ParsedCid, parseCid, parsePath } from "../../platform/ucan/index.ts";
import type { FileDeps } from "../deps.ts";
import { DamagedFileError } from "../records/damaged-file.ts";
import { type FoundFile, isPublic } from "../records/file-metadata.ts";
import { unlock, whileRotating } from "../records/find-file.ts";
import { fileColumns } from "../records/lookup.ts";
import { files } from "../records/tables.ts";
import { contentOf, headVersion, type OpenedContent } from "./open-content.ts";

export type PublicRef = { id: string } | { cid: string } | { namespace: string; path: string };

export type PublicContext = { deps: FileDeps; signal?: AbortSignal | undefined };

/**
 * Open the head of a live public file for anyone, never an older version. @throws AppError NOT_FOUND, the same for everything
 * else: absent, private, trashed or purged files, and malformed references
 */
export async function openPublic(ctx: PublicContext, ref: PublicRef): Promise<OpenedContent> {
  const find = finderOf(ctx, ref);
  return await whileRotating(async () => {
    for (const file of (await find()).filter(isPublic)) {
      try {
        return await open(ctx, file);
      } catch (error) {
        // Another file may have the same bytes and be intact.
        if (!(error instanceof DamagedFileError)) throw error;
      }
    }
    throw notFound();
  });
}

async function open(ctx: PublicContext, file: FoundFile): Promise<OpenedContent> {
  return contentOf(ctx, headVersion(await unlock(ctx.deps, file)));
}

function finderOf({ deps }: PublicContext, ref: PublicRef): () => Promise<FoundFile[]> {
  if ("id" in ref) return () => (isUlid(ref.id) ? select(deps, eq(files.id, ref.id)) : nothing());
  if ("cid" in ref) {
    const cid = unlessInvalid(() => parseCid(ref.cid));
    return () => (cid === undefined ? nothing() : byCid(deps, cid));
  }
  const path = unlessInvalid(() => parsePath(ref.path));
  const { namespace } = ref;
  if (path === undefined || !isDid(namespace)) return nothing;
  return () => select(deps, and(eq(files.namespace, namespace), eq(files.path, path)));
}

/**
 * Public heads with these bytes in any namespace. Each key group has its own tag for them, so it queries the groups of files that
 * are marked public, and those of the namespaces with public folders.
 */
async function byCid(deps: FileDeps, { key }: ParsedCid): Promise<FoundFile[]> {
  const { rows } = await deps.db.execute<{ secret_id: string }>(sql`
    select secret_id from file_key_groups where id in (select key_group from files where public and trashed_at is null)
    union
    select secret_id from file_key_groups where namespace in (select namespace from folder_flags where public)`);
  const tags = await Promise.all(
    rows.map(async ({ secret_id: secretId }) => (await deps.files.keys.tagger({ secretId })).cid(key)),
  );
  return tags.length === 0 ? [] : await select(deps, inArray(files.cidTag, tags));
}

function select({ db }: FileDeps, where: SQL | undefined): Promise<FoundFile[]> {
  return db
    .select(fileColumns)
    .from(files)
    .where(and(where, isNull(files.trashedAt)))
    .orderBy(files.id);
}

const nothing = async (): Promise<FoundFile[]> => [];

function isUlid(text: string): boolean {
  return /^[0-9A-HJKMNP-TV-Z]{26}$/.test(text);
}

/** A malformed reference is treated as a missing file. */
function unlessInvalid<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch (error) {
    if (error instanceof AppError && error.code === "INVALID_INPUT") return undefined;
    throw error;
  }
}
