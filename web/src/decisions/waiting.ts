import type { Role } from "../session/session.ts";

/** States in which a record waits for a decision, and who decides. Lists use it without loading the decisions themselves. */
export const waiting = {
  claim: { roles: ["admin", "evaluator"], states: ["flagged", "disputed"] },
  conversion: { roles: ["admin", "regulator"], states: ["requested"] },
} as const satisfies Record<string, { roles: readonly Role[]; states: readonly string[] }>;
