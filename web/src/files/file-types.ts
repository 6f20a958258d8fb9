/** A file's head; times are unix seconds. */
export type FileMetadata = {
  id: string;
  path: string;
  name: string;
  namespace: string;
  size: number;
  mimeType: string;
  cid: string;
  contentHash: string;
  version: number;
  hidden: boolean;
  hiddenEffective: boolean;
  public: boolean;
  publicUrl?: string;
  createdAt: number;
  updatedAt: number;
  createdBy: string;
  trashedAt?: number;
  metadata: Record<string, unknown>;
  versionsRemaining: number;
  damaged?: true;
};

export type FolderEntry = {
  kind: "folder";
  path: string;
  name: string;
  /** How many files lie below; exact unless `more`. */
  files: number;
  more: boolean;
  hidden: boolean;
  hiddenEffective: boolean;
  public: boolean;
};

export type FileEntry = FileMetadata & { kind: "file" };
export type TreeEntry = FolderEntry | FileEntry;

export type Page<T> = { items: T[]; nextCursor: string | null };

export type VersionEntry = {
  version: number;
  cid: string;
  size: number;
  contentHash: string;
  mimeType: string;
  path: string;
  current: boolean;
  createdAt: number;
  createdBy: string;
  label?: string;
  pinned?: boolean;
  damaged?: true;
};

export type VersionList = { fileId: string; cap: number; count: number; versions: VersionEntry[] };
export type VersionDiff = { fileId: string; path: string; diff: string; patch: unknown[] | null };
export type Usage = { bytes: number; files: number; versions: number; quota: number | null };

export type FolderMarks = { path: string; hidden: boolean; hiddenEffective: boolean; public: boolean };
export type PrunedVersions = { fileId: string; pruned: number[]; count: number; versionsRemaining: number };

export type FileEvent = {
  id: string;
  sequence: number;
  kind: string;
  fileId?: string;
  version?: number;
  actor?: string;
  invoker?: string;
  tokenCid?: string;
  runId?: string;
  at: number;
};

export type Revocation = {
  cid: string;
  namespace: string;
  issuer: string;
  audience: string;
  revokedBy: string;
  revokedAt: number;
  expiresAt?: number;
};

export type PurgedFile = { id: string; receipt: string; pending?: true };

export type BatchAnswer = {
  results: { id: string; ok: boolean; status: number; code?: string; path?: string; error?: string }[];
  succeeded: number;
  failed: number;
};

export type SearchHit = { file: FileMetadata; snippets: { line: number; text: string }[] };
