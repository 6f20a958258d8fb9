import type { KeyObject } from "node:crypto";

declare const kind: unique symbol;
/** A secret of 256 bits. A KeyObject can be printed and serialised without revealing its bytes. */
type Key<Kind extends string> = KeyObject & { [kind]: Kind };

/** Unwraps the file keys of one key group, and makes its lookup tags. Stored outside the database. */
export type GroupSecret = Key<"group">;
/** Unwraps the version keys and decrypts the details of one file. */
export type FileKey = Key<"file">;
/** Decrypts the segments of one version. */
export type VersionKey = Key<"version">;
