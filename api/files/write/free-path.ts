import { notFound, parsePath } from "../../platform/ucan/index.ts";
import type { FileContext } from "../deps.ts";
import { isHidden } from "../records/file-metadata.ts";
import { openFile } from "../records/find-file.ts";
import { alreadyExists } from "./errors.ts";
import { type Preconditions, requireNoIfMatch, requirePreconditions } from "./preconditions.ts";

/** A path, and the marks of the folders above it. */
export type FileLocation = { path: string; folderHidden: boolean; folderPublic: boolean };

export type FreePathInput = Preconditions & { path: string; hidden?: boolean | undefined };

/**
 * Require a free path where the caller may create a file.
 * @throws AppError INVALID_INPUT for a malformed path; NOT_FOUND when the file would be out of scope or hidden from its creator, or
 * when a file that the caller may not see has the path; CONFLICT when the path is taken, PRECONDITION_FAILED instead under
 * `If-None-Match`; PRECONDITION_FAILED under `If-Match` when it is free
 */
export async function requireFreePath(ctx: FileContext, input: FreePathInput): Promise<FileLocation> {
  ctx.access.requireAbility("fs/write");
  const path = parsePath(input.path);
  const marks = await ctx.deps.files.lookup.marksAt(ctx.access.grant.owner, path);
  const location = { path, folderHidden: marks.hidden, folderPublic: marks.public };
  if (!canWriteAt(ctx, input, location)) throw notFound();
  if (marks.taken) await throwPathTaken(ctx, input, path);
  requireNoIfMatch(input);
  return location;
}

/** Check whether the caller may write a file there and will see it. */
export function canWriteAt(
  { access }: Pick<FileContext, "access">,
  { hidden = false }: Pick<FreePathInput, "hidden">,
  location: FileLocation,
): boolean {
  return access.canSee("fs/write", { path: location.path, hidden: isHidden({ ...location, hidden }) });
}

/** Throw the error for a taken path. Only callers that may see the file get its head. */
export async function throwPathTaken(ctx: FileContext, input: Preconditions, path: string): Promise<never> {
  const head = await openFile(ctx, "fs/write", { path });
  requirePreconditions(head, input);
  throw alreadyExists(head);
}
