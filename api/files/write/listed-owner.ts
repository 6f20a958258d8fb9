import { AppError } from "../../platform/errors.ts";
import type { FileContext } from "../deps.ts";

/**
 * Where the operator lists the owners (FS_OWNERS), only they keep anything here; the service's own namespace always does. What
 * others have from before they can read, take away and destroy.
 * @throws AppError FORBIDDEN
 */
export function requireListedOwner({ deps, access }: FileContext): void {
  const { owners } = deps.config.files;
  const { owner } = access.grant;
  const { did, keyDid } = deps.files.identity;
  if (owners === undefined || owners.includes(owner) || owner === keyDid || owner === did) return;
  const message = "This server keeps files only for the owners that its operator lists, and this DID is none of them.";
  throw new AppError("FORBIDDEN", message, { details: [{ rule: "listed-owner", message }] });
}
