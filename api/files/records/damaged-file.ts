import { AppError } from "../../platform/errors.ts";
import { SecretGoneError } from "../keys/group-secrets.ts";
import type { ContentDetails } from "./file-metadata.ts";

/** Thrown when a row's key or details do not decrypt: the database holds something else than was written. */
export class DamagedFileError extends AppError {
  constructor(fileId: string, cause: unknown) {
    const message = `The record of file ${fileId} is damaged: it does not open. The operator's fsck tells what is wrong.`;
    super("INTERNAL", message, { cause, details: [{ rule: "file-damaged", message }] });
  }
}

/** Placeholders for details that do not decrypt. */
export const damagedDetails: ContentDetails = {
  cid: "",
  contentHash: "",
  mimeType: "application/octet-stream",
  metadata: {},
};

/** True for a record that does not decrypt, and for a key group's secret that is still missing after its row was read again. */
export function isDamage(error: unknown): boolean {
  return error instanceof DamagedFileError || error instanceof SecretGoneError;
}
