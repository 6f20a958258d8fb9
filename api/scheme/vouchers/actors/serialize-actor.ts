import type { RequestContext } from "../../../platform/http/index.ts";
import type { RedemptionRecord } from "../schemas.ts";
import type { RedemptionActorRow } from "./tables.ts";

/** Roles that read which key or account acted. Everyone who sees the redemption reads through what. */
const auditors = ["admin", "regulator", "evaluator"];

/** Serialize who acted for the household; null where it was not made through the API, or before this was stored. */
export function serializeActor(
  { actor }: RequestContext,
  row: RedemptionActorRow | undefined,
): RedemptionRecord["actedBy"] {
  if (row === undefined) return null;
  const { channel, role, caller } = row;
  return { channel, role, caller: auditors.includes(actor.role) || actor.keyId === caller ? caller : null };
}
