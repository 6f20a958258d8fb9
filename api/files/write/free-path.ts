import type { Access } from "../../platform/ucan/access.ts";
import { notFound } from "../../platform/ucan/not-found.ts";
import { parsePath } from "../../platform/ucan/paths.ts";
import type { FileContext } from "../deps.ts";
import { isHidden } from "../records/file-metadata.ts";
import { openFile } from "../records/find-file.ts";
import { alreadyExists, type Preconditions, requireNoIfMatch, requirePreconditions } from "./errors.ts";

/** A path that a file may be made at, with the marks of the folders above. */
export type Place = { path: string; folderHidden: boolean; folderPublic: boolean };

export type PlaceInput = Preconditions & { path: string; hidden?: boolean | undefined };

/**
 * Where the caller may make a file.
 * @throws AppError INVALID_INPUT for a bad path; NOT_FOUND when the file would be out of scope or hidden from its maker, or the path
 * is taken by a file that the caller may not see; CONFLICT when it is taken; PRECONDITION_FAILED likewise, under `If-None-Match`, and
 * under `If-Match` when it is free
 */
export async function requirePlace(ctx: FileContext, input: PlaceInput): Promise<Place> {
  const { deps } = ctx;
  const access: Access = ctx.access;
  access.requireAbility("fs/write");
  const path = parsePath(input.path);
  const marks = await deps.files.lookup.marksAt(access.grant.owner, path);
  const place = { path, folderHidden: marks.hidden, folderPublic: marks.public };
  if (!seesPlace(ctx, input, place)) throw notFound();
  if (marks.taken) await refuseTaken(ctx, input, path);
  requireNoIfMatch(input);
  return place;
}

/** True when the caller may write at the place a file that it will see. */
export function seesPlace(
  { access }: FileContext,
  { hidden = false }: Pick<PlaceInput, "hidden">,
  place: Place,
): boolean {
  return access.canSee("fs/write", { path: place.path, hidden: isHidden({ ...place, hidden }) });
}

/** Refuse a path that a live file has, telling its head only to those who may see it. */
export async function refuseTaken(ctx: FileContext, input: Preconditions, path: string): Promise<never> {
  const head = await openFile(ctx, "fs/write", { path });
  requirePreconditions(head, input);
  throw alreadyExists(head);
}
