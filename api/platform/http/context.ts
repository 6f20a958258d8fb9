import type { Context } from "hono";
import type { Deps } from "../../compose.ts";
import type { Caller } from "../../oracle/auth/authenticate.ts";
import type { Access } from "../ucan/access.ts";

export const roles = ["admin", "implementer", "supplier", "evaluator", "regulator", "integrator"] as const;
export type Role = (typeof roles)[number];

/** Who makes the request: what the middleware learnt from the API key, or from the token of a wallet's session. */
export type Actor = {
  /** The API key's id; the account's address, in lower case, where a wallet signed in. */
  keyId: string;
  /** There where a wallet signed in. */
  sessionId?: string;
  role: Role;
  supplierDid?: string;
  implementerDid?: string;
  /** What an integrator may do, such as `vouchers:issue`. Empty for other roles. */
  scopes: string[];
  /** DIDs that an integrator may act for; null means all. */
  dids: string[] | null;
};

export type AppEnv = {
  /** Never set by a request: what this process itself asks its own app says here who acts. */
  Bindings: { inside?: { actor: Actor } };
  Variables: {
    requestId: string;
    deps: Deps;
    /** Set on every route below /v1. */
    actor: Actor;
    /** Set on every route below /api/fs: what the bearer token allows. */
    access: Access;
    /** Set on every route of the oracle that is not public: whose words these are. */
    caller: Caller;
    /** Set when the request carries an Idempotency-Key: the record that an outbox row can bind to. */
    idempotencyId?: string;
    /** The request's body as it came, on routes that declare one. */
    bodyBytes?: Uint8Array;
    /** The body's JSON before its schema read it, on routes that declare one; numbers are LosslessNumber. */
    bodyJson?: unknown;
  };
};

/** Who asks, and what their request is called. `idempotencyId` is there when the caller sent an Idempotency-Key. */
export type RequestContext = { actor: Actor; requestId?: string; idempotencyId?: string };

/** What a route hands to its service. */
export function requestContext(c: Context<AppEnv>): RequestContext {
  const idempotencyId = c.get("idempotencyId");
  const base = { actor: c.get("actor"), requestId: c.get("requestId") };
  return idempotencyId === undefined ? base : { ...base, idempotencyId };
}
