import type { FileEvent } from "../../audit/event.ts";
import type { SealedWords } from "../../search/word-index.ts";

/** Bytes that are stored and wait for the row that makes them a version. */
export type NewContent = {
  sealedVersion: number;
  blob: string;
  size: number;
  versionKey: Uint8Array;
  details: Uint8Array;
  cidTag: Uint8Array;
};

/** Marks of the folders above a file. */
export type FolderMarks = { folderHidden: boolean; folderPublic: boolean };

type Order = {
  namespace: string;
  fileId: string;
  path: string;
  keyGroup: string;
  /** The group's secret that tags and wrapped keys were made with; another one by now means they must be made anew. */
  secretId: string;
  content: NewContent;
  /** The head's words for search; null: none. */
  words: SealedWords | null;
  at: Date;
  /** Most plaintext bytes that the namespace may hold; null: any number. */
  quota: number | null;
  /** The reservation that the bytes were taken under, which ends with the commit. */
  reservation: string | null;
  /** Whether the caller may still see the file when folders above it are marked or not. */
  sees: (marks: FolderMarks) => boolean;
  /** Told in the audit when the order is done. The committer adds the version. */
  event: Omit<FileEvent, "version">;
};

/** Make a file with its first version. */
export type CreateOrder = Order & {
  kind: "create";
  hidden: boolean;
  public: boolean;
  fileKey: Uint8Array;
};

/** Supersede the head that is kept in `head.blob`, while the counter stands at `head.version`. */
export type ReplaceOrder = Order & { kind: "replace"; head: { version: number; blob: string } };

export type CommitOrder = CreateOrder | ReplaceOrder;

/**
 * done: the version is there, under this number. taken: a live file has the path. lost: the head is not the expected one, or
 * the file is trashed or purged. moved: the head is, but the counter went on. rotated: the key group has another secret.
 * hidden: folders were hidden from the caller since it was looked up.
 */
export type Verdict =
  | { outcome: "done"; version: number; retained: number; marks: FolderMarks }
  | { outcome: "taken" | "lost" | "moved" | "rotated" | "cap" | "hidden" }
  | { outcome: "quota"; used: number };
