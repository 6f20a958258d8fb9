import type { Access } from "../ucan/index.ts";

/** Who uses the file store, and in which request. */
export type FileCaller = {
  access: Access;
  requestId?: string | undefined;
  /** Aborts when the client disconnects: a write that is not committed by then leaves no trace. */
  signal?: AbortSignal | undefined;
  /** How much of the namespace's quota and of the limit of all files its writes may fill, in percent; absent: all. */
  quotaPercent?: number | undefined;
};

/**
 * Share in per cent that files which others send (photos, field records, evidence of claims) may fill: of the quota of the scheme's
 * namespace, and of the limit of all files. The rest is for what the scheme itself stores, such as results, so that nobody can stop it
 * by sending files.
 */
export const sentFilesPercent = 90;

/** A file and its current version. */
export type StoredFile = {
  id: string;
  path: string;
  version: number;
  cid: string;
  /** `sha256-` and the base64 of the content's SHA-256. */
  contentHash: string;
  size: number;
  mimeType: string;
};

export type OpenedFile = StoredFile & {
  /** The plaintext. Fails mid-stream at a damaged segment. */
  stream: () => AsyncIterable<Uint8Array>;
};

export type FileInput = { path: string; mimeType: string; content: Uint8Array };

/**
 * The file store as other features use it. Paths are absolute, in the namespace of the caller's token.
 * Every function throws AppError FORBIDDEN when the token lacks the ability, and INVALID_INPUT for a malformed path.
 */
export interface EvidenceStore {
  /** Write a file whether or not there is one: a new file, or a new version. The same bytes again change nothing. */
  put(caller: FileCaller, input: FileInput): Promise<StoredFile>;
  /** Create a file. @throws AppError CONFLICT when the path is taken */
  create(caller: FileCaller, input: FileInput): Promise<StoredFile>;
  /** Read a file's current version. @throws AppError NOT_FOUND */
  open(caller: FileCaller, path: string): Promise<OpenedFile>;
  /** Describe a file without reading its content. @throws AppError NOT_FOUND */
  describe(caller: FileCaller, path: string): Promise<StoredFile>;
  /** List up to `limit` (1 to 500) files below a folder, at any depth, in the order of their paths. */
  list(caller: FileCaller, folder: string, limit: number): Promise<StoredFile[]>;
  /** Every file below a folder, at any depth, in the order of their paths. */
  walk(caller: FileCaller, folder: string): AsyncIterable<StoredFile>;
  /** Move or rename a file, with its history. @throws AppError NOT_FOUND; CONFLICT when the destination is taken */
  move(caller: FileCaller, input: { id: string; destinationPath: string }): Promise<void>;
  /**
   * Destroy files with their keys and history. Unknown ids are ignored.
   * @throws AppError for files that cannot be destroyed, each with its id as the path of a detail; the others are destroyed
   */
  purge(caller: FileCaller, ids: readonly string[]): Promise<void>;
}

/** What an agent may call: one operation of the file store behind a name. */
export type FileTool = {
  name: string;
  description: string;
  inputSchema: { type: "object"; [keyword: string]: unknown };
  readOnly: boolean;
  /** True when what the call replaces or removes cannot simply be found afterwards. */
  destructive: boolean;
  /** @throws AppError INVALID_INPUT naming every broken field */
  call: (caller: FileCaller, input: unknown) => Promise<Record<string, unknown>>;
};

export interface FileStore extends EvidenceStore {
  /**
   * Write a new version of the file whose current CID is `ifMatch`.
   * @throws AppError NOT_FOUND; PRECONDITION_FAILED or WRITE_CONFLICT for another current version; VERSION_LIMIT
   */
  replace(caller: FileCaller, input: { path: string; content: Uint8Array; ifMatch: string }): Promise<StoredFile>;
  /** The tools that agents have at /mcp. */
  readonly tools: readonly FileTool[];
}
