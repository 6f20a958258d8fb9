import type { ItemOf, Schemas } from "../../../wire/src/routes.ts";

/** A file's head; times are unix seconds. */
export type FileMetadata = Schemas["FileMetadata"];
export type TreeEntry = ItemOf<"/api/fs/tree">;
export type FolderEntry = Extract<TreeEntry, { kind: "folder" }>;
export type FileEntry = Extract<TreeEntry, { kind: "file" }>;
export type VersionEntry = Schemas["VersionEntry"];
export type VersionDiff = Schemas["VersionDiff"];
export type FileEvent = ItemOf<"/api/fs/events">;
export type Revocation = Schemas["Revocation"];
export type PrunedVersions = Schemas["PrunedVersions"];
export type BatchAnswer = Schemas["BatchAnswer"];
export type SearchHit = ItemOf<"/api/fs/search">;
export type Usage = Schemas["Usage"];
export type Page<T> = { items: T[]; nextCursor: string | null };
