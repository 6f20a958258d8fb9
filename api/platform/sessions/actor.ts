import type { Actor } from "../http/index.ts";
import type { Capacity } from "./standing.ts";

/** What a household's own account may do here; what it signs itself needs no right of ours. */
const householdScopes = [
  "households:read",
  "vouchers:read",
  "events:read",
  "transactions:prepare",
  "transactions:relay",
];

type Whose = { sessionId: string; address: string };

/**
 * Who makes a session's requests. Answers and limits belong to the account, whichever session it uses. A household and a
 * visitor act with the scopes of an integrator: what these do not name is closed to them.
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
