import { AppError } from "../../../platform/errors.ts";
import {
  type Ability,
  Access,
  type Authority,
  abilities,
  type Grant,
  refuseExpired,
} from "../../../platform/ucan/index.ts";
import { holdsAbility } from "../../auth/delegated-abilities.ts";
import type { HeldDelegation } from "../../wire/turn.ts";

export type UserAccessDeps = { authority: Pick<Authority, "verifyBearer">; clock: { now: () => Date } };

/**
 * Open access to a user's files by its delegation to the oracle. One over `vfs://…` is a token of the file store; one over the user's
 * DID covers all of its files.
 * @throws AppError FORBIDDEN when the delegation covers no files
 */
export async function openUserAccess(
  { authority, clock }: UserAccessDeps,
  user: string,
  delegation: HeldDelegation | null,
): Promise<Access> {
  if (delegation?.capabilities.some((capability) => capability.with.startsWith("vfs://"))) {
    return new Access(await authority.verifyBearer(`Bearer ${delegation.raw}`));
  }
  const overUser = delegation?.capabilities.filter((capability) => capability.with === user) ?? [];
  const held = delegation && { ...delegation, capabilities: overUser };
  const granted = abilities.filter((ability) => holdsAbility(held, ability));
  if (held === null || granted.length === 0) {
    const message =
      "The oracle has no delegation over your files. Delegate fs/read or fs/write over vfs://<your DID> to it.";
    throw new AppError("FORBIDDEN", message, { details: [{ rule: "files-delegated", message }] });
  }
  return new Access(grantOf(clock, user, held, granted));
}

function grantOf(clock: { now: () => Date }, user: string, delegation: HeldDelegation, granted: Ability[]): Grant {
  const hidden = { all: false, paths: [], cids: new Set<string>() };
  const expiresAt = new Date(delegation.expiration * 1000);
  return {
    owner: user,
    invoker: user,
    tokenCid: delegation.cid,
    expiresAt,
    scopes: [{ abilities: new Set(granted), path: "/", cids: null, hidden }],
    root: false,
    confirm: async () => refuseExpired(expiresAt, clock.now()),
  };
}
