import { createHash } from "node:crypto";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db/index.ts";
import { AppError, brokenRuleError, defineRules } from "../../platform/errors.ts";
import type { RequestContext } from "../../platform/http/index.ts";
import type { OpenedFile } from "../../platform/ports/files.ts";
import { evidenceMarks } from "../campaigns/index.ts";
import type { SchemeFiles } from "../scheme-files/index.ts";
import { readPhotoFacts } from "./exif.ts";
import { reservePhoto, senderOf } from "./kept-photos.ts";
import { pathOf } from "./photo-path.ts";
import { photoBySha256, savePhoto } from "./store.ts";

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
  const { db, clock, schemeFiles, config } = deps;
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const known = await photoBySha256(db, sha256);
  const facts = known ?? (await readPhotoFacts(bytes, mimeType, actor.keyId));
  const file = { path: pathOf(sha256), mimeType, content: bytes };
  if (isKept) {
    const row = { sha256, sender: senderOf(actor), size: bytes.byteLength, sentAt: clock.now() };
    await reservePhoto(db, row, config.photoQuotaBytes);
  }
  const kept = isKept ? await schemeFiles.store.put(await schemeFiles.caller(), file) : undefined;
  const uri = kept === undefined ? null : `ipfs://${kept.cid}`;
  const linkHash = uri === null ? null : evidenceMarks({ uri }).link;
  await savePhoto(db, { readAt: clock.now(), mimeType, ...facts, sha256, linkHash });
  return { sha256, uri, size: bytes.byteLength };
}

/** Open a photo that is kept here. @throws AppError NOT_FOUND */
export async function openPhoto({ db, schemeFiles }: PhotoDeps, sha256: string): Promise<OpenedFile> {
  const row = await photoBySha256(db, sha256);
  if (row?.linkHash == null) throw new AppError("NOT_FOUND", `The photo ${sha256} is not kept here.`);
  return await schemeFiles.store.open(await schemeFiles.caller(), pathOf(sha256));
}
