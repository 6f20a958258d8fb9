import type { Readable } from "node:stream";
import { DataStore, Metadata, Upload } from "@tus/server";
import { AppError } from "../../../platform/errors.ts";
import { parsePath } from "../../../platform/ucan/index.ts";
import type { FileContext } from "../../deps.ts";
import { readFile } from "../../read/read-file.ts";
import type { FileMetadata } from "../../records/file-metadata.ts";
import type { UploadRow } from "../../uploads/tables.ts";
import {
  appendToUpload,
  beginUpload,
  cancelUpload,
  findUpload,
  setUploadSize,
  uploadLifeMs,
} from "../../uploads/uploads.ts";
import { tusExtensions } from "./announce-tus.ts";

/** Storage for the tus server: the uploads of one caller. Create one per request. */
export class TusStore extends DataStore {
  readonly #ctx: FileContext;
  /** The file that this request completed, or that the requested upload became. */
  file: FileMetadata | undefined;

  constructor(ctx: FileContext) {
    super();
    this.#ctx = ctx;
    this.extensions = tusExtensions;
  }

  /** The store chooses the upload's id; the server writes it into Location. */
  override async create(upload: Upload): Promise<Upload> {
    const { path, mimeType } = readMetadata(upload.metadata);
    const metadata = upload.metadata === undefined ? "" : Metadata.stringify(upload.metadata);
    const row = await beginUpload(this.#ctx, { path, mimeType, metadata, size: upload.size });
    upload.id = row.id;
    upload.creation_date = row.createdAt.toISOString();
    return upload;
  }

  override async write(stream: Readable, id: string, offset: number): Promise<number> {
    const { received, file } = await appendToUpload(this.#ctx, id, offset, stream);
    this.file = file;
    return received;
  }

  override async getUpload(id: string): Promise<Upload> {
    const row = await findUpload(this.#ctx, id);
    if (row.fileId !== null) this.file = await readFile(this.#ctx, { ref: { id: row.fileId } });
    return toUpload(row);
  }

  override async remove(id: string): Promise<void> {
    await cancelUpload(this.#ctx, id);
  }

  override async declareUploadLength(id: string, size: number): Promise<void> {
    await setUploadSize(this.#ctx, id, size);
  }

  override getExpiration(): number {
    return uploadLifeMs;
  }
}

function toUpload(row: UploadRow): Upload {
  return new Upload({
    id: row.id,
    offset: row.received,
    creation_date: row.createdAt.toISOString(),
    ...(row.size === null ? {} : { size: row.size }),
    ...(row.metadata === "" ? {} : { metadata: Metadata.parse(row.metadata) }),
  });
}

/** The file's path is `path`, or else `filename` in the namespace's root. `filetype` is its media type. */
function readMetadata(metadata: Upload["metadata"]): { path: string; mimeType: string } {
  const { path, filename, filetype } = metadata ?? {};
  const named = path ?? (filename == null ? undefined : `/${filename}`);
  if (named === undefined) {
    const message = "Upload-Metadata must contain the file's path.";
    throw new AppError("INVALID_INPUT", message, { details: [{ path: "path", rule: "required", message }] });
  }
  return { path: parsePath(named, "path"), mimeType: filetype ?? "application/octet-stream" };
}
