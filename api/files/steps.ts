/**
 * Every point of a change at which killing the process leaves a different state. `deps.files.step` is called with these names, in
 * this order within each kind of change; it is undefined in production.
 */
export const fileSteps = [
  /** Content writes: the file was found or its path is free; nothing is stored. */
  "write-begun",
  /** The blob is stored, and no row names it. */
  "write-stored",
  /** Inside the transaction, before its first change. */
  "write-locked",
  /** Inside the transaction, after its last change. */
  "write-changed",
  /** Committed; the client has no response yet. */
  "write-committed",
  /** A refused attempt is about to delete its blob. */
  "write-discarding",
  "purge-locked",
  /** Rows deleted, group secrets rotated, receipts kept; not committed. */
  "purge-changed",
  /** Committed: the old secrets and the blobs are still there. */
  "purge-committed",
  /** The old secrets are destroyed; blobs are still there. */
  "purge-shredded",
  /** Blobs deleted; the receipts still name them. */
  "purge-blobs-deleted",
  "prune-changed",
  "prune-committed",
  "prune-blobs-deleted",
] as const;

export type FileStep = (typeof fileSteps)[number];
