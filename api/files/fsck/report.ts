import type { AuditReport } from "../audit/audit-report.ts";
import type { FileDeps } from "../deps.ts";

export type FindingKind =
  /** A row names a blob that is missing, or that has another length than the row. */
  | "blob-missing"
  | "blob-length"
  /** A segment cannot be decrypted, or the content's hash differs from the recorded one. */
  | "content-damaged"
  /** The key group's secret is missing, or a key cannot be decrypted. */
  | "secret-missing"
  | "key-unreadable"
  /** No row names it, and it is older than the grace period. */
  | "blob-orphaned"
  | "secret-orphaned"
  /** A committed purge or rotation that was not finished. */
  | "secret-retired"
  | "purge-unfinished"
  /** A stored count is wrong. */
  | "count-wrong"
  | "audit-broken";

/** One problem. Contains ids only, never a path, a hash or a key. */
export type Finding = {
  kind: FindingKind;
  message: string;
  namespace?: string;
  fileId?: string;
  version?: number;
  blob?: string;
  /** True when this run has repaired it. */
  repaired: boolean;
};

export type FsckReport = {
  /** True when there is no finding, or all are repaired. */
  clean: boolean;
  checked: { files: number; versions: number; groups: number; blobs: number };
  /** Unnamed blobs and secrets within the grace period, which belong to writes in progress. */
  young: { blobs: number; secrets: number };
  /** Bytes that were decrypted and hashed; 0 without a scrub. */
  scrubbedBytes: number;
  audit: AuditReport;
  findings: Finding[];
  seconds: number;
};

export type FsckDeps = Pick<FileDeps, "clock" | "db" | "files">;

/** Shared by all parts of a check. */
export type Check = {
  deps: FsckDeps;
  repair: boolean;
  /** Minimum age of an orphan, in milliseconds. */
  graceMs: number;
  signal?: AbortSignal | undefined;
  found: (finding: Omit<Finding, "repaired">, repair?: (() => Promise<unknown>) | undefined) => Promise<void>;
};
