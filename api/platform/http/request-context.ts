export const roles = ["admin", "implementer", "supplier", "evaluator", "regulator", "integrator"] as const;
export type Role = (typeof roles)[number];

/** Authenticated caller, from an API key or from the token of a wallet's session. */
export type Actor = {
  /** The API key's id; the account's address, in lower case, where a wallet signed in. */
  keyId: string;
  /** Set where a wallet signed in. */
  sessionId?: string;
  role: Role;
  supplierDid?: string;
  implementerDid?: string;
  /** What an integrator may do, such as `vouchers:issue`. Empty for other roles. */
  scopes: string[];
  /** DIDs that an integrator may act for; null means all. */
  dids: string[] | null;
};

/** Argument of every service function: the caller, and the names of the request. */
export type RequestContext = {
  actor: Actor;
  requestId?: string;
  /** Id of the stored record of the caller's Idempotency-Key; an outbox row can bind to it. */
  idempotencyKey?: string;
};
