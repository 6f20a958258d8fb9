import { AppError } from "../../platform/errors.ts";
import { multihashKey, parseCid } from "../../platform/ucan/cid.ts";
import { type HeadNote, versionCap, versionsRemaining } from "../records/file-metadata.ts";
import type { OpenFile } from "../records/find-file.ts";

/** What a refused write is told about the head, so that it can be tried again without another request. */
export function headNote({ file, details }: Pick<OpenFile, "file" | "details">): HeadNote {
  return { head: { version: file.version, cid: details.cid }, versionsRemaining: versionsRemaining(file) };
}

export function versionLimit(head: OpenFile): AppError {
  const message = `Version limit reached: this file retains ${versionCap} versions, the most that a file may have.`;
  return new AppError("VERSION_LIMIT", message, {
    details: [{ rule: "version-cap", message: `A file retains at most ${versionCap} versions; prune or purge first.` }],
    extra: headNote(head),
  });
}

export function writeConflict(head: OpenFile): AppError {
  const message = "The file was modified concurrently — fetch the latest version and retry";
  return new AppError("WRITE_CONFLICT", message, { extra: headNote(head) });
}

/** @param head the file that has the path */
export function alreadyExists(head: OpenFile): AppError {
  return new AppError("CONFLICT", "There is already a file at this path.", {
    details: [
      { path: "path", rule: "path-free", message: "Write a new version of that file, or choose another path." },
    ],
    extra: headNote(head),
  });
}

export function overQuota(quota: number, used: number): AppError {
  const message = `The namespace's quota of ${quota} bytes would be exceeded: ${used} bytes are in use.`;
  return new AppError("TOO_LARGE", message, { details: [{ rule: "namespace-quota", message }] });
}

export function overTotal(limit: number): AppError {
  const message = `The ${limit} bytes that all files of this server may have together would be exceeded.`;
  return new AppError("TOO_LARGE", message, { details: [{ rule: "store-limit", message }] });
}

export function overFileLimit(limit: number): AppError {
  const message = `A file may have at most ${limit} bytes.`;
  return new AppError("TOO_LARGE", message, { details: [{ rule: "file-limit", message }] });
}

/** Entity tags of a request, as CIDs without quotes; `*` stands for any. An absent header is an absent field. */
export type Preconditions = { ifMatch?: readonly string[] | undefined; ifNoneMatch?: readonly string[] | undefined };

/** @throws AppError PRECONDITION_FAILED when the head is not the one asked for, or there is one where none was asked for */
export function requirePreconditions(head: OpenFile, { ifMatch, ifNoneMatch }: Preconditions): void {
  const failed = [
    ...(ifMatch !== undefined && !names(ifMatch, head.details.cid) ? ["If-Match"] : []),
    ...(ifNoneMatch !== undefined && names(ifNoneMatch, head.details.cid) ? ["If-None-Match"] : []),
  ];
  if (failed.length === 0) return;
  throw new AppError("PRECONDITION_FAILED", "The file is not in the state that the request asks for.", {
    details: failed.map((path) => ({ path, rule: "precondition", message: `${path} does not hold for the head.` })),
    extra: headNote(head),
  });
}

/** A file that is not there has no head for If-Match to name, not even by an asterisk. @throws AppError PRECONDITION_FAILED */
export function requireNoIfMatch({ ifMatch }: Preconditions): void {
  if (ifMatch === undefined) return;
  const message = "There is no file at this path, and If-Match asks for one.";
  throw new AppError("PRECONDITION_FAILED", message, {
    details: [{ path: "If-Match", rule: "precondition", message }],
  });
}

function names(tags: readonly string[], cid: string): boolean {
  const wanted = parseCid(cid).key;
  return tags.some((tag) => tag === "*" || tag === cid || keyOf(tag) === wanted);
}

/** A tag that is no CID matches nothing. */
function keyOf(tag: string): string | undefined {
  try {
    return multihashKey(parseCid(tag).cid);
  } catch {
    return undefined;
  }
}
