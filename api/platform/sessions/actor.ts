import type { Actor } from "../http/index.ts";
import type { Capacity } from "./standing.ts";

/** Scopes of a household's account. It needs none for what it signs itself. */
const householdScopes = [
  "households:read",
  "vouchers:read",
  "events:read",
  "transactions:prepare",
  "transactions:relay",
];

type Whose = { sessionId: string; address: string };

/**
 * Build the actor of a session. Stored responses and limits belong to the account, not to a single session. A household and a
 * visitor act as integrators with few scopes.
 */
export function actorOf({ sessionId, address }: Whose, actsAs: Capacity, did: string | null): Actor {
  const base = { keyId: address, sessionId, scopes: [], dids: null };
  switch (actsAs) {
    case "admin":
    case "regulator":
    case "evaluator":
      return { ...base, role: actsAs };
    case "supplier":
      return did === null ? visitor(base) : { ...base, role: "supplier", supplierDid: did };
    case "implementer":
      return did === null ? visitor(base) : { ...base, role: "implementer", implementerDid: did };
    case "household":
      return did === null ? visitor(base) : { ...base, role: "integrator", scopes: householdScopes, dids: [did] };
    case "visitor":
      return visitor(base);
  }
}

function visitor(base: Pick<Actor, "keyId" | "sessionId">): Actor {
  return { ...base, role: "integrator", scopes: [], dids: [] };
}
