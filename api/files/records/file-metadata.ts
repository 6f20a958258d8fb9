import { nameOf } from "../../platform/ucan/index.ts";
import type { FileRow, VersionRow } from "./tables.ts";

/** Most content versions that a file retains; the head counts as one. */
export const versionCap = 50;

/** Everything that is derived from a version's plaintext. It is stored encrypted. */
export type ContentDetails = {
  /** CIDv1 in base32, over the plaintext. */
  cid: string;
  /** `sha256-` and the base64 of the hash. */
  contentHash: string;
  mimeType: string;
  metadata: Record<string, unknown>;
};

/** A file as the API returns it. Times are unix seconds. */
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
  /** True if the record cannot be decrypted: then `cid` and `contentHash` are empty. */
  damaged?: true;
};

/** One retained version. `label` and `pinned` are absent unless set. */
export type VersionEntry = {
  version: number;
  cid: string;
  size: number;
  contentHash: string;
  mimeType: string;
  path: string;
  current: boolean;
  /** Unix seconds. */
  createdAt: number;
  createdBy: string;
  label?: string;
  pinned?: true;
  /** True if the record cannot be decrypted: then `cid` and `contentHash` are empty. */
  damaged?: true;
};

export type VersionList = { fileId: string; cap: number; count: number; versions: VersionEntry[] };

/** The head, as the error of a refused write reports it. */
export type HeadSummary = { head: { version: number; cid: string }; versionsRemaining: number };

/** A row of `files`, the marks of the folders above it, and the secret that opens its key. */
export type FoundFile = FileRow & {
  folderHidden: boolean;
  folderPublic: boolean;
  /** Current secret of its key group. */
  secretId: string;
};

export function unixSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000);
}

export function isHidden(file: Pick<FoundFile, "path" | "hidden" | "folderHidden">): boolean {
  return file.hidden || file.folderHidden || file.path.includes("/.");
}

/** Check whether the file is served without a token: it is marked public, or is in a public folder and not hidden. */
export function isPublic(
  file: Pick<FoundFile, "path" | "hidden" | "folderHidden" | "public" | "folderPublic">,
): boolean {
  return file.public || (file.folderPublic && !isHidden(file));
}

type Described = Pick<FoundFile, "id" | "namespace" | "path" | "version" | "retained" | "size" | "hidden" | "public"> &
  Pick<FoundFile, "folderHidden" | "folderPublic" | "createdAt" | "createdBy" | "updatedAt" | "trashedAt">;

/** @param publicBase the configuration's publicUrl */
export function toMetadata(file: Described, details: ContentDetails, publicBase: string): FileMetadata {
  const open = isPublic(file);
  return {
    id: file.id,
    path: file.path,
    name: nameOf(file.path),
    namespace: file.namespace,
    size: file.size,
    mimeType: details.mimeType,
    cid: details.cid,
    contentHash: details.contentHash,
    version: file.version,
    hidden: file.hidden,
    hiddenEffective: isHidden(file),
    public: open,
    ...(open ? { publicUrl: `${publicBase}/public/id/${file.id}` } : {}),
    createdAt: unixSeconds(file.createdAt),
    updatedAt: unixSeconds(file.updatedAt),
    createdBy: file.createdBy,
    ...(file.trashedAt === null ? {} : { trashedAt: unixSeconds(file.trashedAt) }),
    metadata: details.metadata,
    versionsRemaining: versionsRemaining(file),
  };
}

export function versionsRemaining(file: Pick<FileRow, "retained">): number {
  return Math.max(0, versionCap - file.retained);
}

/** @param file the version's file; history is listed under the file's current path */
export function toVersionEntry(
  file: Pick<FileRow, "path" | "version">,
  row: Pick<VersionRow, "version" | "size" | "writtenAt" | "writtenBy" | "label" | "pinned">,
  details: ContentDetails,
): VersionEntry {
  return {
    version: row.version,
    cid: details.cid,
    size: row.size,
    contentHash: details.contentHash,
    mimeType: details.mimeType,
    path: file.path,
    current: row.version === file.version,
    createdAt: unixSeconds(row.writtenAt),
    createdBy: row.writtenBy,
    ...(row.label === null ? {} : { label: row.label }),
    ...(row.pinned ? { pinned: true } : {}),
  };
}
