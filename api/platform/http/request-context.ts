export const roles = ["admin", "implementer", "supplier", "evaluator", "regulator", "integrator"] as const;
export type Role = (typeof roles)[number];

/** Authenticated caller, by an API key or a session token. */
export type Actor = {
  /** The API key's id; for a session, the account's address in lower case. */
  keyId: string;
  /** The adapter whose device or gateway calls, such as `phones`, or `oracle` for its agent. Absent for people and other programs. */
  adapter?: string;
  /** Set for a session. */
  sessionId?: string;
  role: Role;
  supplierDid?: string;
  implementerDid?: string;
  /** Scopes of an integrator, such as `vouchers:issue`. Empty for other roles. */
  scopes: string[];
  /** DIDs that an integrator may act for, null means all; of an evaluator the DIDs of the verifier. */
  dids: string[] | null;
};

/** Argument of every service function: the caller and the request's ids. */
export type RequestContext = {
  actor: Actor;
  requestId?: string;
  /** Id of the record of the caller's Idempotency-Key; an outbox row can refer to it. */
  idempotencyKey?: string;
};
