import { createHash } from "node:crypto";
import { ulid } from "ulid";
import { AppError } from "../../platform/errors.ts";
import { notFound } from "../../platform/ucan/index.ts";
import { releasing } from "../content/release-buffers.ts";
import type { FileContext } from "../deps.ts";
import type { VersionKey } from "../keys/key-types.ts";
import { readFile } from "../read/read-file.ts";
import type { FileMetadata } from "../records/file-metadata.ts";
import { changeNamespace } from "../records/namespace-lock.ts";
import { checkCreate, createFile } from "../write/create-file.ts";
import { canWriteAt } from "../write/free-path.ts";
import { releaseBytes, releaseDownTo, reservedBytes, reserveWith } from "../write/reservations.ts";
import { WriteLimit } from "../write/write-limit.ts";
import { PartCutter, readParts, storePart } from "./parts.ts";
import { createUploadStore, type UploadOwner, type UploadStore } from "./store.ts";
import type { PartRow, UploadRow } from "./tables.ts";
import { createUploadKey, destroyUploadKey, openUploadKey } from "./upload-keys.ts";

/** How long an upload may take from its creation, in milliseconds. */
export const uploadLifeMs = 3 * 24 * 3_600_000;
const maxOpenUploads = 1_000;

export type NewUpload = { path: string; mimeType: string; metadata: string; size: number | undefined };
export type Appended = { received: number; file?: FileMetadata };

/** Begin a resumable upload. @throws AppError what creating the file now would throw */
export async function beginUpload(ctx: FileContext, input: NewUpload): Promise<UploadRow> {
  const { path, mimeType, metadata, size } = input;
  const { files, clock } = ctx.deps;
  await checkCreate(ctx, size === undefined ? { path } : { path, declaredSize: size });
  const { namespace, invoker } = ownerOf(ctx);
  const createdAt = clock.now();
  const row: UploadRow = {
    id: ulid(createdAt.getTime()),
    namespace,
    invoker,
    path,
    mimeType,
    metadata,
    size: size ?? null,
    received: 0,
    fileId: null,
    createdAt,
    expiresAt: new Date(createdAt.getTime() + uploadLifeMs),
  };
  await createUploadKey(files, row.id);
  try {
    await reserveWith(ctx.deps, { ...row, bytes: size ?? 0 }, async (tx) => {
      const store = createUploadStore(tx);
      await refuseTooMany(store, namespace);
      await store.insert(row);
    });
  } catch (error) {
    await destroyUploadKey(files, row.id);
    throw error;
  }
  return row;
}

/** Must run in a transaction that holds the namespace's lock. @throws AppError RATE_LIMITED */
async function refuseTooMany(store: UploadStore, namespace: string): Promise<void> {
  if ((await store.openUploads(namespace)) < maxOpenUploads) return;
  throw new AppError("RATE_LIMITED", `A namespace may have at most ${maxOpenUploads} unfinished uploads.`, {
    headers: { "Retry-After": "60" },
  });
}

/**
 * Find an upload of the caller. @throws AppError NOT_FOUND, the same for uploads of others, out of scope, expired and unknown
 * ones
 */
export async function findUpload(ctx: FileContext, id: string): Promise<UploadRow> {
  ctx.access.requireAbility("fs/write");
  const row = await createUploadStore(ctx.deps.db).find(id, ownerOf(ctx));
  if (row === undefined || row.expiresAt <= ctx.deps.clock.now()) throw notFound();
  // This token may have another scope than the first one, and folders may have been hidden since the upload began.
  const marks = await ctx.deps.files.lookup.marksAt(row.namespace, row.path);
  const location = { path: row.path, folderHidden: marks.hidden, folderPublic: marks.public };
  if (!canWriteAt(ctx, {}, location)) throw notFound();
  return row;
}

/**
 * Append a stream to an upload at `offset`. If the stream fails, the complete parts are kept. The last byte creates the file; the
 * last part is recorded only when the file exists.
 * @throws AppError CONFLICT when the upload is not at `offset`; what creating the file throws, which ends the upload
 */
export async function appendToUpload(
  ctx: FileContext,
  id: string,
  offset: number,
  stream: AsyncIterable<Uint8Array>,
): Promise<Appended> {
  const { deps } = ctx;
  const row = await findUpload(ctx, id);
  if (row.fileId !== null || row.received !== offset) throw offsetConflict(row.received);
  const key = await openUploadKey(deps.files, id);
  if (key === undefined) throw notFound();
  const limit = WriteLimit.ofUpload(ctx, row);
  try {
    return await takeParts(ctx, { row, key, limit, stream });
  } finally {
    await returnReserved(ctx, row, limit);
  }
}

type Arriving = { row: UploadRow; key: VersionKey; limit: WriteLimit; stream: AsyncIterable<Uint8Array> };

async function takeParts(ctx: FileContext, arriving: Arriving): Promise<Appended> {
  const { row, key, limit, stream } = arriving;
  const { deps } = ctx;
  const { id } = row;
  const store = createUploadStore(deps.db);
  const parts = await store.parts(id);
  const cutter = new PartCutter(limit.count(stream));
  let received = row.received;
  while (!(await cutter.atEnd())) {
    const number = parts.length + 1;
    const part = await storePart(deps.files, { uploadId: id, part: number, key, source: cutter.part() });
    parts.push(part);
    if (received + part.size === row.size) return finish(ctx, arriving, parts);
    try {
      // Check the token again, because it may have been revoked while the part arrived.
      await ctx.access.confirm();
      await addPart(ctx, arriving, received, part);
    } catch (error) {
      await deps.files.blobs.delete(part.blob);
      throw error;
    }
    received += part.size;
  }
  if (cutter.failure !== undefined) throw cutter.failure;
  return row.size === received ? finish(ctx, arriving, parts) : { received };
}

/** Add a part and its reservation to the upload. @throws AppError CONFLICT when the upload is no longer at `received` */
async function addPart(
  { deps }: FileContext,
  { row, limit }: Pick<Arriving, "row" | "limit">,
  received: number,
  part: PartRow,
): Promise<void> {
  await changeNamespace(deps, row.namespace, async (tx) => {
    if (!(await createUploadStore(tx).addPart(row.id, received, part))) throw offsetConflict(received);
    await limit.moveToUpload(tx, row, part.size);
  });
}

/**
 * Move the request's unused reservation back to the upload. An upload of unknown length keeps only the bytes that have arrived,
 * an ended one nothing.
 */
async function returnReserved({ deps }: FileContext, row: UploadRow, limit: WriteLimit): Promise<void> {
  await changeNamespace(deps, row.namespace, async (tx) => {
    const open = await createUploadStore(tx).unfinished(row.id);
    await limit.moveToUpload(tx, row);
    await releaseDownTo(tx, row, open === undefined ? 0 : (open.size ?? open.received));
  });
}

/** Create the file from all parts. */
async function finish(
  ctx: FileContext,
  { row, key, limit }: Pick<Arriving, "row" | "key" | "limit">,
  parts: readonly PartRow[],
): Promise<Appended> {
  const { blobs } = ctx.deps.files;
  const store = createUploadStore(ctx.deps.db);
  const size = parts.reduce((sum, part) => sum + part.size, 0);
  const content = () => releasing(readParts(ctx.deps.files, row.id, key, parts));
  try {
    const file = await createOnce(ctx, { row, size, limit }, content);
    await store.finish(row.id, file.id, size);
    await destroyUploadKey({ blobs }, row.id);
    for (const { blob } of parts) await blobs.delete(blob);
    return { received: size, file };
  } catch (error) {
    const last = parts.at(-1);
    // A client error ends the upload. After a server error the client can send the last part again.
    if (error instanceof AppError && error.status < 500) await discard(ctx, store, row, parts);
    else if (last !== undefined) await blobs.delete(last.blob);
    throw error;
  }
}

/**
 * Create the file. If it exists with the same bytes, an earlier try was interrupted between creating the file and recording it.
 */
async function createOnce(
  ctx: FileContext,
  { row: { path, mimeType }, size, limit: uploadLimit }: { row: UploadRow; size: number; limit: WriteLimit },
  content: () => AsyncIterable<Uint8Array>,
): Promise<FileMetadata> {
  // Everything has arrived, so a disconnect of the client no longer matters.
  const creating = { deps: ctx.deps, access: ctx.access, requestId: ctx.requestId };
  try {
    const limit = uploadLimit.forWholeUpload(creating);
    return await createFile(creating, { path, mimeType, content: content(), declaredSize: size, limit });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "CONFLICT") throw error;
    const file = await readFile(creating, { ref: { path } });
    if (file.size !== size || file.contentHash !== (await hashOf(content()))) throw error;
    return file;
  }
}

async function hashOf(content: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash("sha256");
  for await (const chunk of content) hash.update(chunk);
  return `sha256-${hash.digest("base64")}`;
}

/** Cancel an upload. */
export async function cancelUpload(ctx: FileContext, id: string): Promise<void> {
  const row = await findUpload(ctx, id);
  const store = createUploadStore(ctx.deps.db);
  await discard(ctx, store, row, await store.parts(row.id));
}

/** Set the size of an upload that was created without one. */
export async function setUploadSize(ctx: FileContext, id: string, size: number): Promise<void> {
  const row = await findUpload(ctx, id);
  await checkCreate(ctx, { path: row.path, declaredSize: size });
  if (size < row.received) throw offsetConflict(row.received);
  const held = await reservedBytes(ctx.deps.db, id);
  await reserveWith(ctx.deps, { ...row, bytes: Math.max(0, size - held) }, async (tx) => {
    if (!(await createUploadStore(tx).setSize(row.id, size))) throw offsetConflict(row.received);
  });
}

async function discard(
  { deps }: Pick<FileContext, "deps">,
  store: UploadStore,
  row: Pick<UploadRow, "id" | "namespace">,
  parts: readonly PartRow[],
): Promise<void> {
  await destroyUploadKey(deps.files, row.id);
  await store.remove(row.id);
  await releaseBytes(deps, row);
  for (const { blob } of parts) await deps.files.blobs.delete(blob);
}

function ownerOf({ access }: FileContext): UploadOwner {
  return { namespace: access.grant.owner, invoker: access.grant.invoker };
}

function offsetConflict(received: number): AppError {
  const message = `The upload has received ${received} bytes.`;
  return new AppError("CONFLICT", message, { details: [{ path: "Upload-Offset", rule: "offset", message }] });
}
