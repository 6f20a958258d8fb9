import type { Actor } from "../http/index.ts";
import type { EventParties, EventType, SchemeEvent } from "./types.ts";

/** An event as clients receive it, by SSE and by webhook. */
export type EventMessage = {
  id: string;
  type: EventType;
  occurredAt: string;
  /** Null for an event that is not on chain, such as a finding. */
  transactionHash: string | null;
  blockNumber: number;
  data: Record<string, unknown>;
};

/** Build the event as this key may see it; undefined when it concerns none of the key's DIDs. */
export function messageFor(actor: Actor, event: SchemeEvent): EventMessage | undefined {
  if (!concerns(actor, event)) return undefined;
  const { id, type, occurredAt, transactionHash, position, parties, data } = event;
  const recipient =
    parties.householdDid !== null && knowsHousehold(actor, parties) ? { recipientDid: parties.householdDid } : {};
  return {
    id,
    type,
    occurredAt: occurredAt.toISOString(),
    transactionHash,
    blockNumber: Number(position.block),
    data: { ...data, ...recipient },
  };
}

/** Check whether the key may see the household's DID. Suppliers, and integrators that act only for them, may not. */
function knowsHousehold({ role, dids }: Actor, { implementerDid, householdDid }: EventParties): boolean {
  if (role !== "integrator" || dids === null) return role !== "supplier";
  return [implementerDid, householdDid].some((did) => did !== null && dids.includes(did));
}

function concerns(actor: Actor, { parties }: SchemeEvent): boolean {
  const { supplierDid, implementerDid, householdDid } = parties;
  if (parties.everyone) return true;
  if (actor.role === "supplier") return actor.supplierDid !== undefined && actor.supplierDid === supplierDid;
  if (actor.role === "implementer")
    return actor.implementerDid !== undefined && actor.implementerDid === implementerDid;
  if (actor.role !== "integrator" || actor.dids === null) return true;
  const { dids } = actor;
  return [supplierDid, implementerDid, householdDid].some((did) => did !== null && dids.includes(did));
}
