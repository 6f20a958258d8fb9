import { and, eq, isNotNull, isNull } from "drizzle-orm";
import pRetry from "p-retry";
import type { Transaction } from "../../platform/db/index.ts";
import { isId } from "../../platform/new-id.ts";
import { type Ability, notFound, parsePath } from "../../platform/ucan/index.ts";
import type { FileContext, FileDeps, FileRef } from "../deps.ts";
import { SecretGoneError } from "../keys/group-secrets.ts";
import type { FileKey } from "../keys/key-types.ts";
import { KeyWrapError } from "../keys/key-wrap.ts";
import { openDetails, SealedValueError } from "../keys/sealed-details.ts";
import { DamagedFileError, damagedDetails, isDamage } from "./damaged-file.ts";
import { type ContentDetails, type FileMetadata, type FoundFile, isHidden, toMetadata } from "./file-metadata.ts";
import { fileColumns } from "./lookup.ts";
import { type ContentRow, files } from "./tables.ts";

export type FindOptions = {
  /** `false` (default): live files only; `true`: trashed ones only; `"either"`: both. */
  trashed?: boolean | "either";
  /** Read within a transaction. */
  tx?: Transaction;
};

/**
 * Find a file that the caller may use the ability on. @throws AppError FORBIDDEN without the ability; NOT_FOUND, the same whether
 * the file is missing or invisible to the caller; INVALID_INPUT for a malformed path
 */
export async function findFile(
  ctx: FileContext,
  ability: Ability,
  ref: FileRef,
  options: FindOptions = {},
): Promise<FoundFile> {
  ctx.access.requireAbility(ability);
  const file = await lookUp(ctx.deps, ctx.access.grant.owner, ref, options);
  if (file === undefined) throw notFound();
  ctx.access.requireSee(ability, { path: file.path, hidden: isHidden(file) });
  return file;
}

async function lookUp(
  { db, files: { lookup } }: FileDeps,
  namespace: string,
  ref: FileRef,
  { trashed = false, tx }: FindOptions,
): Promise<FoundFile | undefined> {
  if (tx === undefined && trashed === false && "path" in ref)
    return await lookup.byPath(namespace, parsePath(ref.path));
  if (tx === undefined && "id" in ref) {
    const row = await lookup.byId(namespace, ref.id);
    return row === undefined || trashed === "either" || (row.trashedAt !== null) === trashed ? row : undefined;
  }
  if ("id" in ref && !isId(ref.id)) return undefined;
  const named = "id" in ref ? eq(files.id, ref.id) : eq(files.path, parsePath(ref.path));
  const state = trashed === "either" ? undefined : trashed ? isNotNull(files.trashedAt) : isNull(files.trashedAt);
  const rows = (tx ?? db).select(fileColumns).from(files);
  const [row] = await rows.where(and(eq(files.namespace, namespace), named, state)).limit(1);
  return row;
}

/** A file with its key and its decrypted details. */
export type OpenFile = { file: FoundFile; key: FileKey; details: ContentDetails };

/** As findFile, with the file's key and its head's details. */
export async function openFile(
  ctx: FileContext,
  ability: Ability,
  ref: FileRef,
  options: FindOptions = {},
): Promise<OpenFile> {
  return await whileRotating(async () => unlock(ctx.deps, await findFile(ctx, ability, ref, options)));
}

/** As openFile, but with placeholders if the head's details cannot be decrypted, because older versions may be intact. */
export async function openFileAnyway(
  ctx: FileContext,
  ability: Ability,
  ref: FileRef,
): Promise<OpenFile & { damaged: boolean }> {
  return await whileRotating(async () => {
    const file = await findFile(ctx, ability, ref);
    const key = await openKey(ctx.deps, file);
    try {
      return { file, key, details: detailsOf(key, file.id, file), damaged: false };
    } catch (error) {
      if (!isDamage(error)) throw error;
      return { file, key, details: damagedDetails, damaged: true };
    }
  });
}

/**
 * Decrypt a file's key and its head's details.
 * @throws SecretGoneError when its key group was rotated since the row was read; DamagedFileError
 */
export async function unlock(deps: FileDeps, file: FoundFile): Promise<OpenFile> {
  const key = await openKey(deps, file);
  return { file, key, details: detailsOf(key, file.id, file) };
}

async function openKey({ files: { keys } }: FileDeps, file: FoundFile): Promise<FileKey> {
  try {
    return await keys.openFileKey({ groupId: file.keyGroup, secretId: file.secretId }, file.fileKey);
  } catch (error) {
    throw error instanceof KeyWrapError ? new DamagedFileError(file.id, error) : error;
  }
}

/** Retry `read` when a concurrent purge replaces the key group's secret after the row was read. */
export async function whileRotating<T>(read: () => Promise<T>): Promise<T> {
  return await pRetry(read, {
    retries: 9,
    minTimeout: 0,
    shouldRetry: ({ error }) => error instanceof SecretGoneError,
  });
}

/** The context that details are bound to: they can only be decrypted for this file and version. */
export const detailsContext = (fileId: string, sealedVersion: number) => `${fileId}/${sealedVersion}`;

export function detailsOf(
  key: FileKey,
  fileId: string,
  row: Pick<ContentRow, "sealedVersion" | "details">,
): ContentDetails {
  try {
    return openDetails(key, detailsContext(fileId, row.sealedVersion), row.details) as ContentDetails;
  } catch (error) {
    throw error instanceof SealedValueError ? new DamagedFileError(fileId, error) : error;
  }
}

/** A listed file; `open` is undefined if its record is damaged. */
export type ListedFile = { file: FoundFile; open: OpenFile | undefined };

/** Decrypt files that the caller may see, in the given order, without those that are purged meanwhile. */
export async function unlockEach(deps: FileDeps, rows: readonly FoundFile[]): Promise<ListedFile[]> {
  const opened = await Promise.all(rows.map((row) => unlockOne(deps, row)));
  return opened.filter((each) => each !== undefined);
}

/** Read the metadata of files that the caller may see, in the given order. A damaged file is marked as damaged. */
export async function describeFiles(deps: FileDeps, rows: readonly FoundFile[]): Promise<FileMetadata[]> {
  return (await unlockEach(deps, rows)).map(({ file, open }) => {
    const described = toMetadata(file, open?.details ?? damagedDetails, deps.config.publicUrl);
    return open === undefined ? { ...described, damaged: true } : described;
  });
}

async function unlockOne(deps: FileDeps, row: FoundFile): Promise<ListedFile | undefined> {
  let file: FoundFile | undefined = row;
  try {
    return await whileRotating(async () => {
      if (file === undefined) return undefined;
      const [current, ref]: [FoundFile, FileRef] = [file, { id: file.id }];
      try {
        return { file: current, open: await unlock(deps, current) };
      } catch (error) {
        if (error instanceof SecretGoneError) file = await lookUp(deps, current.namespace, ref, { trashed: "either" });
        throw error;
      }
    });
  } catch (error) {
    if (!isDamage(error) || file === undefined) throw error;
    deps.log.error({ err: error, fileId: row.id }, "a file's record is damaged");
    return { file, open: undefined };
  }
}
