import { AppError } from "../../platform/errors.ts";
import { SecretGoneError } from "../keys/group-secrets.ts";
import type { ContentDetails } from "./file-metadata.ts";

/** Thrown when a row's key or details cannot be decrypted: the database no longer contains what was written. */
export class DamagedFileError extends AppError {
  constructor(fileId: string, cause: unknown) {
    const message = `The record of file ${fileId} is damaged and cannot be decrypted. The operator's fsck shows what is wrong.`;
    super("INTERNAL", message, { cause, details: [{ rule: "file-damaged", message }] });
  }
}

/** Placeholders for details that cannot be decrypted. */
export const damagedDetails: ContentDetails = {
  cid: "",
  contentHash: "",
  mimeType: "application/octet-stream",
  metadata: {},
};

/**
 * True for a record that cannot be decrypted, and for a key group's secret that is still missing after its row was read again.
 */
export function isDamage(error: unknown): boolean {
  return error instanceof DamagedFileError || error instanceof SecretGoneError;
}
