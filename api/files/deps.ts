import type { ServiceIdentity } from "../platform/identity/index.ts";
import type { CoreDeps } from "../platform/server/index.ts";
import type { Access } from "../platform/ucan/index.ts";
import type { Audit } from "./audit/audit.ts";
import type { BlobStore } from "./blobs/blob-store.ts";
import type { FileStoreConfig } from "./configuration.ts";
import type { FileKeys } from "./keys/file-keys.ts";
import type { KeyEncryption } from "./keys/key-encryption.ts";
import type { Lookup } from "./records/lookup.ts";
import type { FileStep } from "./steps.ts";
import type { Committer } from "./write/commit/committer.ts";

/** The parts of an open file store. */
export type FileParts = {
  blobs: BlobStore;
  encryption: KeyEncryption;
  keys: FileKeys;
  audit: Audit;
  identity: ServiceIdentity;
  lookup: Lookup;
  committer: Committer;
  /** Called with every step of a change by the crash tests; undefined in production. */
  step?: ((name: FileStep) => void | Promise<void>) | undefined;
};

export type FileDeps = Pick<
  CoreDeps<FileStoreConfig>,
  "config" | "log" | "clock" | "db" | "exclusive" | "rateLimiter"
> & {
  files: FileParts;
};

/** The first argument of the file store's service functions. */
export type FileContext = {
  deps: FileDeps;
  access: Access;
  requestId?: string | undefined;
  /** Aborts when the client disconnects: an uncommitted change is then rolled back. */
  signal?: AbortSignal | undefined;
  /** As `FileCaller.quotaPercent`. */
  quotaPercent?: number | undefined;
};

/** A file by its id or its path, in the caller's namespace. */
export type FileRef = { id: string } | { path: string };

/** The result of one item of a batch. */
export type BatchItem = { id: string; ok: boolean; status: number; code?: string; path?: string; error?: string };
export type BatchResult<Item extends BatchItem = BatchItem> = { results: Item[]; succeeded: number; failed: number };
