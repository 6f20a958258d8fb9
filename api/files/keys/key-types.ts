import type { KeyObject } from "node:crypto";

declare const kind: unique symbol;
/** A secret of 256 bits. A KeyObject prints and serialises without its bytes. */
type Key<Kind extends string> = KeyObject & { [kind]: Kind };

/** Opens the file keys of one key group, and makes its lookup tags. Lies outside the database. */
export type GroupSecret = Key<"group">;
/** Opens the version keys and sealed details of one file. */
export type FileKey = Key<"file">;
/** Opens the segments of one version. */
export type VersionKey = Key<"version">;
