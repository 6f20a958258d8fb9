import { createHash } from "node:crypto";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db/index.ts";
import { AppError, brokenRuleError, defineRules } from "../../platform/errors.ts";
import type { RequestContext } from "../../platform/http/index.ts";
import type { FileInput, OpenedFile, StoredFile } from "../../platform/ports/files.ts";
import { evidenceMarks } from "../campaigns/index.ts";
import type { SchemeFiles } from "../scheme-files/index.ts";
import { readPhotoFacts } from "./exif.ts";
import { giveBackPhoto, reservePhoto, senderOf } from "./kept-photos.ts";
import { pathOf } from "./photo-path.ts";
import { photoBySha256, savePhoto } from "./store.ts";
import type { KeptPhotoRow } from "./tables.ts";

/** What the services of photos need. */
export type PhotoDeps = {
  clock: Clock;
  db: Database;
  schemeFiles: SchemeFiles;
  config: { photoQuotaBytes: number | undefined };
};

export type ReceivedPhoto = { sha256: string; uri: string | null; size: number };

type SentPhoto = { bytes: Uint8Array; mimeType: string; isKept: boolean };

/** Types of photos. */
export const imageTypes = ["image/jpeg", "image/png", "image/webp", "image/heic", "image/gif", "image/tiff"] as const;

const broken = defineRules({
  "photo-empty": ["photo-given", "The body is the photo; it is empty."],
  "photo-type-unknown": ["photo-type", "The Content-Type of a photo is one of {types}."],
});

/**
 * Read a photo's EXIF data and store them for the records that name it by its SHA-256 or its URI. The same photo again is not read
 * again, also when its data could not be read.
 * @param isKept whether to keep the photo itself, encrypted; otherwise its sender keeps it
 * @throws AppError INVALID_INPUT for an empty body and another type; TOO_LARGE over the sender's quota
 */
export async function receivePhoto(
  deps: PhotoDeps,
  { actor }: RequestContext,
  { bytes, mimeType, isKept }: SentPhoto,
): Promise<ReceivedPhoto> {
  if (bytes.byteLength === 0) throw brokenRuleError("INVALID_INPUT", broken("photo-empty", "body"));
  if (!imageTypes.some((type) => type === mimeType)) {
    throw brokenRuleError(
      "INVALID_INPUT",
      broken("photo-type-unknown", "content-type", { types: imageTypes.join(", ") }),
    );
  }
  const { db, clock } = deps;
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const known = await photoBySha256(db, sha256);
  const facts = known ?? (await readPhotoFacts(bytes, mimeType, actor.keyId));
  const file = { path: pathOf(sha256), mimeType, content: bytes };
  const row = { sha256, sender: senderOf(actor), size: bytes.byteLength, sentAt: clock.now() };
  const kept = isKept ? await keepPhoto(deps, row, file) : undefined;
  const uri = kept === undefined ? null : `ipfs://${kept.cid}`;
  const linkHash = uri === null ? null : evidenceMarks({ uri }).link;
  await savePhoto(db, { readAt: clock.now(), mimeType, ...facts, sha256, linkHash });
  return { sha256, uri, size: bytes.byteLength };
}

/** Count a photo to its sender's quota and store it. What could not be stored does not count. */
async function keepPhoto(
  { db, schemeFiles, config }: PhotoDeps,
  row: Omit<KeptPhotoRow, "isEvidence">,
  file: FileInput,
): Promise<StoredFile> {
  const isNew = await reservePhoto(db, row, config.photoQuotaBytes);
  const { store } = schemeFiles;
  const caller = await schemeFiles.receiver();
  try {
    return await store.put(caller, file);
  } catch (error) {
    const isMissing = await store.describe(caller, file.path).then(
      () => false,
      (why: unknown) => why instanceof AppError && why.code === "NOT_FOUND",
    );
    // A stored file counts, even if its sender got an error: it is there until it is destroyed.
    if (isNew && isMissing) await giveBackPhoto(db, row);
    throw error;
  }
}

/** Open a photo that is kept here. @throws AppError NOT_FOUND */
export async function openPhoto({ db, schemeFiles }: PhotoDeps, sha256: string): Promise<OpenedFile> {
  const row = await photoBySha256(db, sha256);
  if (row?.linkHash == null) throw new AppError("NOT_FOUND", `The photo ${sha256} is not kept here.`);
  return await schemeFiles.store.open(await schemeFiles.caller(), pathOf(sha256));
}
