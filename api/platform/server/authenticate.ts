import type { Context, MiddlewareHandler } from "hono";
import { AppError } from "../errors.ts";
import { type AppEnv, clientAddress, clientOf, limitFailures, rateLimitHeaders, requestUrls } from "../http/index.ts";
import { checkProof, type Keys, type VerifiedKey } from "../keys/index.ts";
import { isSessionToken, type SessionVerifier } from "../sessions/index.ts";
import { isInRanges } from "../values/networks.ts";

/** Verifiers of the two kinds of bearer tokens. */
export type Verifiers = {
  keys: Keys;
  /** Undefined: no session tokens are accepted. */
  sessions: Pick<SessionVerifier, "verify"> | undefined;
};

/** Create middleware that requires a valid key, a proof of possession where the key needs one, and checks the rate limit. */
export function requireKey(verifiers: Verifiers): MiddlewareHandler<AppEnv> {
  return async function requireKey(c, next) {
    const { rateLimiter, config } = c.get("platform");
    // No cache may keep an authenticated response, not even the browser's, after its user signs out.
    c.header("Cache-Control", "private, no-store");
    const inside = c.env?.inside;
    const key = inside === undefined ? await authenticate(c, verifiers) : { ...inside, requestsPerMinute: null };
    c.set("actor", key.actor);
    if (inside === undefined && key.actor.sessionId === undefined) {
      verifiers.keys.use.note(key.actor.keyId, c.get("platform").clock.now());
    }
    const allowance = await rateLimiter.consume(
      isVisitor(key) ? `visitors:${clientOf(c)}` : `key:${key.actor.keyId}`,
      key.requestsPerMinute ?? config.requestsPerMinute,
    );
    const headers = rateLimitHeaders(allowance);
    if (!allowance.allowed) {
      throw new AppError("RATE_LIMITED", `This key may send ${allowance.limit} requests a minute.`, { headers });
    }
    for (const [name, value] of Object.entries(headers)) c.header(name, value);
    await next();
  };
}

/** Check for a session without a role or participant. Anyone can open many of these, so they are counted by address. */
function isVisitor({ actor: { sessionId, dids } }: Pick<VerifiedKey, "actor">): boolean {
  return sessionId !== undefined && dids?.length === 0;
}

async function authenticate(c: Context<AppEnv>, { keys, sessions }: Verifiers): Promise<VerifiedKey> {
  const { clock } = c.get("platform");
  const token = /^(?:Bearer|DPoP) +(\S+) *$/i.exec(c.req.header("authorization") ?? "")?.[1];
  if (token === undefined)
    return refuse(c, 'Bearer realm="hearth"', "An API key is needed: Authorization: Bearer <key>.");
  const isSession = isSessionToken(token);
  const key = await (isSession ? sessions?.verify(token) : keys.verifier.verify(token));
  const invalid = 'Bearer realm="hearth", error="invalid_token"';
  if (key === undefined) {
    const sentence = isSession
      ? "The session is unknown, expired or ended: sign in again."
      : "The API key is unknown, expired or revoked.";
    return refuse(c, invalid, sentence);
  }
  if (key.ranges !== null && !isInRanges(clientAddress(c), key.ranges)) {
    return refuse(c, invalid, "The API key may not be used from this address.");
  }
  if (key.proofKey === undefined) return key;
  const problem = await checkProof(
    key.proofKey,
    key.actor.sessionId ?? key.actor.keyId,
    {
      proof: c.req.header("dpop"),
      token,
      method: c.req.method,
      urls: requestUrls(c),
      now: clock.now(),
    },
    keys.proofs,
  );
  if (problem === undefined) return key;
  return refuse(c, 'DPoP error="invalid_dpop_proof", algs="ES256 EdDSA"', problem);
}

async function refuse(c: Context<AppEnv>, challenge: string, message: string): Promise<never> {
  await limitFailures(c);
  throw new AppError("UNAUTHENTICATED", message, { headers: { "WWW-Authenticate": challenge } });
}
