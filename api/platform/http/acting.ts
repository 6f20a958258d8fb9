import type { Actor, Role } from "./request-context.ts";

/**
 * Through what somebody acts for a household: a supplier's till, the implementer's own staff, a collector's phone, the household's
 * phone, the oracle's agent, another program, or staff of the scheme.
 */
export const actingChannels = ["till", "field-team", "collector", "phone", "agent", "program", "staff"] as const;
export type ActingChannel = (typeof actingChannels)[number];

/** Who acted for a household. `caller`: the API key or account; of the oracle's agent, `oracle:` and the DID of the person it acts for. */
export type ActedBy = { channel: ActingChannel; role: Role; caller: string };

const channelOfAdapter: Record<string, ActingChannel> = {
  odk: "collector",
  kobo: "collector",
  phones: "phone",
  oracle: "agent",
};
const channelOfRole: Record<Role, ActingChannel> = {
  supplier: "till",
  implementer: "field-team",
  integrator: "program",
  admin: "staff",
  regulator: "staff",
  evaluator: "staff",
};

/** Name who acts, as it is stored with what was done for a household. */
export function actedBy({ adapter, role, keyId }: Actor): ActedBy {
  return { channel: channelOfAdapter[adapter ?? ""] ?? channelOfRole[role], role, caller: keyId };
}
