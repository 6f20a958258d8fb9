import { AppError } from "../../platform/errors.ts";
import { type HeadSummary, versionCap, versionsRemaining } from "../records/file-metadata.ts";
import type { OpenFile } from "../records/find-file.ts";

/** Summarize the head for the error of a refused write, so that the client can retry without another request. */
export function summarizeHead({ file, details }: Pick<OpenFile, "file" | "details">): HeadSummary {
  return { head: { version: file.version, cid: details.cid }, versionsRemaining: versionsRemaining(file) };
}

export function versionLimit(head: OpenFile): AppError {
  const message = `Version limit reached: this file retains ${versionCap} versions, the most that a file may have.`;
  return new AppError("VERSION_LIMIT", message, {
    details: [{ rule: "version-cap", message: `A file retains at most ${versionCap} versions; prune or purge first.` }],
    extra: summarizeHead(head),
  });
}

export function writeConflict(head: OpenFile): AppError {
  const message = "The file was modified concurrently — fetch the latest version and retry";
  return new AppError("WRITE_CONFLICT", message, { extra: summarizeHead(head) });
}

/** @param head the file that has the path */
export function alreadyExists(head: OpenFile): AppError {
  return new AppError("CONFLICT", "There is already a file at this path.", {
    details: [
      { path: "path", rule: "path-free", message: "Write a new version of that file, or choose another path." },
    ],
    extra: summarizeHead(head),
  });
}

/** @param percent the share of the namespace's quota, for a write that may fill only a part of it */
export function overQuota(quota: number, used: number, percent?: number): AppError {
  if (percent !== undefined) {
    const message = `Files that others send may fill ${percent} % of the namespace's quota, ${quota} bytes: ${used} bytes are in use.`;
    return new AppError("TOO_LARGE", message, { details: [{ rule: "sent-files-quota", message }] });
  }
  const message = `The namespace's quota of ${quota} bytes would be exceeded: ${used} bytes are in use.`;
  return new AppError("TOO_LARGE", message, { details: [{ rule: "namespace-quota", message }] });
}

/** @param percent as for `overQuota` */
export function overTotal(limit: number, percent?: number): AppError {
  if (percent !== undefined) {
    const message = `Files that others send may fill ${percent} % of the limit of all files of this server, ${limit} bytes, which would be exceeded.`;
    return new AppError("TOO_LARGE", message, { details: [{ rule: "sent-files-quota", message }] });
  }
  const message = `The ${limit} bytes that all files of this server may have together would be exceeded.`;
  return new AppError("TOO_LARGE", message, { details: [{ rule: "store-limit", message }] });
}

export function overFileLimit(limit: number): AppError {
  const message = `A file may have at most ${limit} bytes.`;
  return new AppError("TOO_LARGE", message, { details: [{ rule: "file-limit", message }] });
}
