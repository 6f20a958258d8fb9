import { AppError } from "../../platform/errors.ts";
import { type Ability, multihashKey, parseCid } from "../../platform/ucan/index.ts";
import type { FileContext, FileRef } from "../deps.ts";
import type { FoundFile } from "../records/file-metadata.ts";
import { type FindOptions, type OpenFile, openFile } from "../records/find-file.ts";
import { summarizeHead, writeConflict } from "./errors.ts";

/** Entity tags of a request, as CIDs without quotes; `*` matches every head. A field is absent if its header is. */
export type Preconditions = { ifMatch?: readonly string[] | undefined; ifNoneMatch?: readonly string[] | undefined };

export type IfMatch = Pick<Preconditions, "ifMatch">;

/** @throws AppError PRECONDITION_FAILED when the head does not match `ifMatch`, or matches `ifNoneMatch` */
export function requirePreconditions(head: OpenFile, { ifMatch, ifNoneMatch }: Preconditions): void {
  const failed = [
    ...(ifMatch !== undefined && !names(ifMatch, head.details.cid) ? ["If-Match"] : []),
    ...(ifNoneMatch !== undefined && names(ifNoneMatch, head.details.cid) ? ["If-None-Match"] : []),
  ];
  if (failed.length === 0) return;
  throw new AppError("PRECONDITION_FAILED", "The file is not in the state that the request requires.", {
    details: failed.map((path) => ({ path, rule: "precondition", message: `${path} does not hold for the head.` })),
    extra: summarizeHead(head),
  });
}

/** Refuse `If-Match` for a path without a file, where even `*` does not match. @throws AppError PRECONDITION_FAILED */
export function requireNoIfMatch({ ifMatch }: Preconditions): void {
  if (ifMatch === undefined) return;
  const message = "There is no file at this path, but If-Match requires one.";
  throw new AppError("PRECONDITION_FAILED", message, {
    details: [{ path: "If-Match", rule: "precondition", message }],
  });
}

/** Check the file again within the change's transaction. @throws AppError WRITE_CONFLICT when it has another head */
export type ExpectedHead = (file: Pick<FoundFile, "id" | "blob">) => void;

/**
 * Check `ifMatch` against a file's head before a change. Without `ifMatch` it reads nothing.
 * @throws AppError PRECONDITION_FAILED; FORBIDDEN; NOT_FOUND
 */
export async function expectHead(
  ctx: FileContext,
  ability: Ability,
  ref: FileRef,
  { ifMatch }: IfMatch,
  options: FindOptions = {},
): Promise<ExpectedHead> {
  if (ifMatch === undefined) return () => {};
  const known = await openFile(ctx, ability, ref, options);
  requirePreconditions(known, { ifMatch });
  return ({ id, blob }) => {
    if (id !== known.file.id || blob !== known.file.blob) throw writeConflict(known);
  };
}

function names(tags: readonly string[], cid: string): boolean {
  const wanted = parseCid(cid).key;
  return tags.some((tag) => tag === "*" || tag === cid || keyOf(tag) === wanted);
}

/** A tag that is not a CID matches nothing. */
function keyOf(tag: string): string | undefined {
  try {
    return multihashKey(parseCid(tag).cid);
  } catch {
    return undefined;
  }
}
