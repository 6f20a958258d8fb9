import type { FileEvent } from "../../audit/event.ts";
import type { SealedWords } from "../../search/word-index.ts";

/** The content columns of a version with stored bytes. */
export type NewContent = {
  sealedVersion: number;
  blob: string;
  size: number;
  versionKey: Uint8Array;
  details: Uint8Array;
  cidTag: Uint8Array;
};

/** The combined marks of the folders above a file. */
export type FolderMarks = { folderHidden: boolean; folderPublic: boolean };

type Order = {
  namespace: string;
  fileId: string;
  path: string;
  keyGroup: string;
  /** The group's secret under which the tags and wrapped keys were made. The order is refused when the group has another one. */
  secretId: string;
  content: NewContent;
  /** The head's words for search; null if there are none. */
  words: SealedWords | null;
  at: Date;
  /** Most plaintext bytes that the namespace may contain; null means unlimited. */
  quota: number | null;
  /** Ids of the reservations that the commit releases; together they must hold the content's size. Empty: nothing is limited. */
  reservations: readonly string[];
  /** True when the caller may still see the file under these marks. */
  sees: (marks: FolderMarks) => boolean;
  /** Recorded in the audit with the commit, which adds the version. */
  event: Omit<FileEvent, "version">;
};

/** Create a file with its first version. */
export type CreateOrder = Order & {
  kind: "create";
  hidden: boolean;
  public: boolean;
  fileKey: Uint8Array;
};

/** Replace the head if its blob is `head.blob` and the file's counter is `head.version`. */
export type ReplaceOrder = Order & { kind: "replace"; head: { version: number; blob: string } };

export type CommitOrder = CreateOrder | ReplaceOrder;

/** The order is committed: the version has this number. */
export type Committed = { outcome: "done"; version: number; retained: number; marks: FolderMarks };

/**
 * Why an order is refused. taken: a live file has the path. lost: the file has another head, or is trashed or purged. moved: the
 * head is the same, but the file's counter is higher. rotated: the key group has another secret. cap: the file has the maximum
 * number of versions. hidden: folders were hidden from the caller meanwhile.
 */
export type Refused = "taken" | "lost" | "moved" | "rotated" | "cap" | "hidden";

/** quota: the namespace's quota would be exceeded. unreserved: the reservations expired, and lack `missing` bytes. */
export type Verdict =
  | Committed
  | { outcome: Refused }
  | { outcome: "quota"; used: number }
  | { outcome: "unreserved"; missing: number };
