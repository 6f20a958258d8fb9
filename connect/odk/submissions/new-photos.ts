import { createHash } from "node:crypto";
import { AppError, type RuleDetail } from "../../../api/platform/errors.ts";
import type { RequestContext } from "../../../api/platform/http/index.ts";
import type { NewFile } from "../../records/corrected-xml.ts";
import { photoTypeOf } from "../../records/photo.ts";
import { countNewPhotos, findNewPhoto, sealNewPhoto } from "../../records/sealed-files.ts";
import { sendPhoto } from "../../records/send-photo.ts";
import type { AttachmentRow, SubmissionRow } from "../../records/tables.ts";
import type { OdkDeps } from "../deps.ts";
import { requireCorrectable } from "./correctable.ts";
import { mostNewPhotos, type StoredPhoto } from "./schemas.ts";
import { visible } from "./visible.ts";

/**
 * Store a photo for the correction of a refused record. It replaces nothing: the correction names it by its SHA-256. The same photo
 * again is the same one.
 * @throws AppError FORBIDDEN; NOT_FOUND, also for another implementer's; RULE_VIOLATION for what is not a photo; CONFLICT when the
 *   record is not refused, is corrected elsewhere or has too many new photos, or its campaign is closed
 */
export async function storePhoto(
  deps: OdkDeps,
  ctx: RequestContext,
  id: string,
  bytes: Uint8Array,
): Promise<StoredPhoto> {
  const record = await visible(deps, ctx, id);
  const mimeType = photoTypeOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  if (mimeType === undefined) throw new AppError("RULE_VIOLATION", notAPhoto.message, { details: [notAPhoto] });
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const photo = { sha256, size: bytes.byteLength, mimeType };
  // Also when the correction has taken the record's place meanwhile: a client that got no answer repeats both requests.
  if ((await findNewPhoto(deps.host, record, sha256)) !== undefined) return photo;
  await requireCorrectable(deps, ctx, record);
  if ((await countNewPhotos(deps.host, record, mostNewPhotos)) >= mostNewPhotos) {
    throw new AppError("CONFLICT", `At most ${mostNewPhotos} photos can be stored to correct one record.`);
  }
  await sealNewPhoto(deps.host, record, { sha256, mimeType, bytes });
  await sendPhoto(deps.host.clientAs(ctx), record.kind, bytes);
  return photo;
}

const notAPhoto = {
  path: "body",
  rule: "photo",
  message: "The file is not a photo: send a JPEG, PNG, GIF, WebP or HEIC.",
};

export type NewPhoto = Omit<AttachmentRow, "submissionId"> & { path: string };

/**
 * Find the photos that a correction names, and name each by its question and its content, so that it has the name of no other file
 * of the record.
 * @returns the photos, and the broken rules of those that were not stored
 */
export async function findPhotos(
  { host }: OdkDeps,
  record: SubmissionRow,
  files: readonly NewFile[],
): Promise<{ photos: NewPhoto[]; missing: RuleDetail[] }> {
  const photos: NewPhoto[] = [];
  const missing: RuleDetail[] = [];
  for (const [i, { path, sha256 }] of files.entries()) {
    const photo = await findNewPhoto(host, record, sha256);
    if (photo === undefined) missing.push({ path: `files.${i}`, ...notStored });
    else
      photos.push({ ...photo, path, name: `${path}-${sha256.slice(0, 16)}.${photo.mimeType.slice("image/".length)}` });
  }
  return { photos, missing };
}

const notStored = { rule: "photo-stored", message: "No photo with this SHA-256 was stored to correct this record." };
