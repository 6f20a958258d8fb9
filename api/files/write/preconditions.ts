import type { Ability } from "../../platform/ucan/grant.ts";
import type { FileContext, FileRef } from "../deps.ts";
import type { FoundFile } from "../records/file-metadata.ts";
import { type FindOptions, openFile } from "../records/find-file.ts";
import { type Preconditions, requirePreconditions, writeConflict } from "./errors.ts";

export type IfMatch = Pick<Preconditions, "ifMatch">;

/** To be asked with what the change's own transaction finds. @throws AppError WRITE_CONFLICT when that is another head */
export type ExpectedHead = (file: Pick<FoundFile, "id" | "blob">) => void;

/**
 * Hold `ifMatch` against a file's head before a change; without it nothing is looked at.
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
