import { createHash } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { AppError } from "../../api/platform/errors.ts";
import type { FileInput } from "../../api/platform/ports/files.ts";
import type { RoomHost } from "../room.ts";
import type { SubmissionRow } from "./tables.ts";

type RecordRef = Pick<SubmissionRow, "implementerDid" | "formId" | "instanceId" | "sha256">;
/** `sha256` in hexadecimal. */
export type SealedFile = { cid: string; sha256: string; size: number };

const folder = "/connect/odk";
/** Longest name of a file or folder; longer ones are replaced by their hash. */
const mostName = 150;

/** Store a new record's XML in the encrypted file store. The same bytes again change nothing. */
export async function sealRecord(host: RoomHost, record: RecordRef, xml: Uint8Array): Promise<void> {
  await putNew(host, { path: recordPath(record), mimeType: "text/xml", content: xml });
}

export async function readRecord(host: RoomHost, record: RecordRef): Promise<Uint8Array> {
  const { stream } = await host.files.store.open(await host.files.caller(), recordPath(record));
  return await buffer(stream());
}

/** Store a file of a record. Another one of its name replaces it; the earlier version is kept. */
export async function sealFile(
  host: RoomHost,
  record: RecordRef,
  { name, mimeType, bytes }: { name: string; mimeType: string; bytes: Uint8Array },
): Promise<SealedFile> {
  return await putNew(host, { path: filePath(record, name), mimeType, content: bytes });
}

/** Store a photo for the correction of a record. The same bytes again change nothing, and no other file is replaced. */
export async function sealNewPhoto(
  host: RoomHost,
  record: RecordRef,
  { sha256, mimeType, bytes }: { sha256: string; mimeType: string; bytes: Uint8Array },
): Promise<void> {
  await putNew(host, { path: newPhotoPath(record, sha256), mimeType, content: bytes });
}

/** Find a photo that was stored for the correction of a record. */
export async function findNewPhoto(
  { files: { store, caller } }: RoomHost,
  record: RecordRef,
  sha256: string,
): Promise<(SealedFile & { mimeType: string }) | undefined> {
  try {
    const { cid, size, mimeType } = await store.describe(await caller(), newPhotoPath(record, sha256));
    return { cid, sha256, size, mimeType };
  } catch (error) {
    if (error instanceof AppError && error.code === "NOT_FOUND") return undefined;
    throw error;
  }
}

/** Count the photos that were stored for the correction of a record, up to a limit. */
export async function countNewPhotos(
  { files: { store, caller } }: RoomHost,
  record: RecordRef,
  limit: number,
): Promise<number> {
  return (await store.list(await caller(), newPhotosFolder(record), limit)).length;
}

/**
 * Destroy files of a record, with those that were stored to correct it. The record itself stays.
 * @param isKept whether a file is needed, by the SHA-256 of its content
 * @returns how many were destroyed
 */
export async function destroyFiles(
  { files: { store, caller } }: RoomHost,
  record: RecordRef,
  isKept: (sha256: string) => boolean,
): Promise<number> {
  const by = await caller();
  const ids: string[] = [];
  for (const folder of [filesFolder(record), newPhotosFolder(record)]) {
    for await (const { id, contentHash } of store.walk(by, folder)) if (!isKept(hexOf(contentHash))) ids.push(id);
  }
  if (ids.length > 0) await store.purge(by, ids);
  return ids.length;
}

/**
 * Open a file of a record, as its row describes it. The content may be in the folder of the record that this one corrects, and among
 * the photos that were stored for a correction.
 * @param records the record, then those that it corrects, latest first
 * @throws AppError NOT_FOUND
 */
export async function openSealedFile(
  host: RoomHost,
  records: readonly RecordRef[],
  { name, sha256 }: { name: string; sha256: string },
): Promise<AsyncIterable<Uint8Array>> {
  for (const path of records.flatMap((record) => [filePath(record, name), newPhotoPath(record, sha256)])) {
    try {
      const opened = await host.files.store.open(await host.files.caller(), path);
      if (hexOf(opened.contentHash) === sha256) return opened.stream();
    } catch (error) {
      if (!(error instanceof AppError && error.code === "NOT_FOUND")) throw error;
    }
  }
  throw new AppError("NOT_FOUND", `The content of ${name} is not stored any more.`);
}

/** Write a file whose path is almost always free: creating it first saves looking for an earlier version. */
async function putNew({ files: { store, caller } }: RoomHost, input: FileInput): Promise<SealedFile> {
  const by = await caller();
  const { cid, contentHash, size } = await store.create(by, input).catch((error: unknown) => {
    if (error instanceof AppError && error.code === "CONFLICT") return store.put(by, input);
    throw error;
  });
  return { cid, sha256: hexOf(contentHash), size };
}

const hexOf = (contentHash: string) => Buffer.from(contentHash.slice("sha256-".length), "base64").toString("hex");
const filesFolder = (record: RecordRef) => `${folderOf(record)}/files`;
const filePath = (record: RecordRef, name: string) => `${filesFolder(record)}/${segment(name)}`;
const newPhotosFolder = (record: RecordRef) => `${folderOf(record)}/new-photos`;
const newPhotoPath = (record: RecordRef, sha256: string) => `${newPhotosFolder(record)}/${sha256}`;
const recordPath = (record: RecordRef) => `${folderOf(record)}/${record.sha256}.xml`;

function folderOf({ implementerDid, formId, instanceId }: RecordRef): string {
  return `${folder}/${segment(implementerDid)}/${segment(formId)}/${segment(instanceId)}`;
}

/** Make a text one segment of a path, which is unique and not hidden. Only a hash begins with a tilde. */
function segment(text: string): string {
  const encoded = encodeURIComponent(text).replaceAll("~", "%7E").replace(/^\./, "%2E");
  return encoded.length <= mostName ? encoded : `~${createHash("sha256").update(text).digest("hex")}`;
}
