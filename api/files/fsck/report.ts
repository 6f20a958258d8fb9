import type { AuditReport } from "../audit/audit-report.ts";
import type { FileDeps } from "../deps.ts";

export type FindingKind =
  /** A row names a blob that is not there, or that has not the length that the row tells. */
  | "blob-missing"
  | "blob-length"
  /** A segment does not open, or the content's hash is not the one that was written. */
  | "content-damaged"
  /** A key does not open what it should, or the group's secret is gone. */
  | "secret-missing"
  | "key-unreadable"
  /** Nothing names it, and it is older than the grace period. */
  | "blob-orphaned"
  | "secret-orphaned"
  /** A committed purge or rotation that was not finished. */
  | "secret-retired"
  | "purge-unfinished"
  /** Numbers that are kept twice differ. */
  | "count-wrong"
  | "audit-broken";

/** One thing that is wrong. Names ids alone: never a path, a hash or a key. */
export type Finding = {
  kind: FindingKind;
  message: string;
  namespace?: string;
  fileId?: string;
  version?: number;
  blob?: string;
  /** True when this run has put it right. */
  repaired: boolean;
};

export type FsckReport = {
  /** True when nothing is wrong, or all that was is repaired. */
  clean: boolean;
  checked: { files: number; versions: number; groups: number; blobs: number };
  /** What no row names yet, within the grace period: writes under way. */
  young: { blobs: number; secrets: number };
  /** Bytes whose segments were opened and hashed; 0 without a scrub. */
  scrubbedBytes: number;
  audit: AuditReport;
  findings: Finding[];
  seconds: number;
};

export type FsckDeps = Pick<FileDeps, "db" | "files">;

/** What the parts of a check share. */
export type Check = {
  deps: FsckDeps;
  repair: boolean;
  /** What nothing names is left alone until it is that old, in milliseconds. */
  graceMs: number;
  signal?: AbortSignal | undefined;
  found: (finding: Omit<Finding, "repaired">, repair?: (() => Promise<unknown>) | undefined) => Promise<void>;
};
