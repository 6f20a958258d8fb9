import { AppError } from "../../platform/errors.ts";
import { type RateLimiter, rateLimitHeaders } from "../../platform/http/index.ts";
import { clientNetwork } from "../../platform/values/networks.ts";
import type { HeldDelegation, MatrixSession } from "../wire/turn.ts";
import { ExpiredTokenError, type OnNewUser, type TokenVerifier } from "./tokens.ts";

/** The authenticated caller, and what the oracle may do in its name. */
export type Caller = {
  did: string;
  delegation: HeldDelegation | null;
  /** The caller's Matrix session, if the request has one. */
  matrix?: MatrixSession | undefined;
};

/** The tokens of a request or a socket's handshake. */
export type Artifacts = { invocation: string | undefined; delegation: string | undefined };

export const missingArtifacts =
  "Missing UCAN authentication: provide Authorization: Bearer <invocation> with X-Auth-Type: ucan, or an x-ucan-delegation header";

/** Read the tokens of an HTTP request. Without `X-Auth-Type: ucan` the bearer token is for another scheme and is ignored. */
export function readArtifacts(header: (name: string) => string | undefined): Artifacts {
  const isUcan = header("x-auth-type")?.trim().toLowerCase() === "ucan";
  const bearer = isUcan ? /^Bearer +(.*)$/i.exec(header("authorization") ?? "")?.[1]?.trim() : undefined;
  return { invocation: orUndefined(bearer), delegation: orUndefined(header("x-ucan-delegation")?.trim()) };
}

/** Read the Matrix session from a request's headers; undefined unless both are set. */
export function readMatrixSession(header: (name: string) => string | undefined): MatrixSession | undefined {
  const accessToken = header("x-matrix-access-token")?.trim();
  const homeServer = header("x-matrix-homeserver")?.trim();
  return accessToken && homeServer ? { accessToken, homeServer } : undefined;
}

export type AuthenticateOptions = {
  tokens: TokenVerifier;
  /** False: ORACLE_MNEMONIC is blank, so every authenticated request gets 401. */
  loaded: boolean;
  /**
   * For sockets, which reconnect with their first tokens: accept an expired invocation together with a valid delegation of the
   * same user.
   */
  forgiveExpired?: boolean;
  /** Called before the token of a user without an earlier request is verified. @throws AppError RATE_LIMITED */
  onNewUser?: OnNewUser;
};

type NewUserLimit = { rateLimiter: RateLimiter; limits: { newUsersPerMinute: number } };

/**
 * Count a new user against the limit of its address. The limit per user is not enough, because anyone can be a new user with each
 * request.
 * @throws AppError RATE_LIMITED
 */
export async function limitNewUsers(address: string, { limits, rateLimiter }: NewUserLimit): Promise<void> {
  const allowance = await rateLimiter.consume(`oracle-new:${clientNetwork(address)}`, limits.newUsersPerMinute);
  if (allowance.allowed) return;
  const message = `An address may send requests of at most ${allowance.limit} new users per minute.`;
  throw new AppError("RATE_LIMITED", message, { headers: rateLimitHeaders(allowance) });
}

/**
 * Authenticate the caller: by the invocation if there is one, else by the delegation.
 * @throws AppError UNAUTHENTICATED
 */
export async function authenticate(artifacts: Artifacts, options: AuthenticateOptions): Promise<Caller> {
  if (!options.loaded) throw new AppError("UNAUTHENTICATED", "The oracle's signing mnemonic is not loaded.");
  const { tokens, forgiveExpired = false, onNewUser } = options;
  const { invocation, delegation } = artifacts;
  if (invocation === undefined && delegation === undefined) throw new AppError("UNAUTHENTICATED", missingArtifacts);
  if (invocation === undefined) {
    const held = await tokens.verify("delegation", delegation ?? "", onNewUser);
    return { did: held.issuer, delegation: held };
  }
  const held =
    delegation === undefined ? null : await tokens.verify("grant", delegation, onNewUser).catch(ignoreInvalid);
  try {
    const { issuer } = await tokens.verify("invocation", invocation, onNewUser);
    return { did: issuer, delegation: held?.issuer === issuer ? held : null };
  } catch (error) {
    if (!forgiveExpired || !(error instanceof ExpiredTokenError) || delegation === undefined) throw error;
    // Here the delegation authenticates the caller, so one only for files is not enough.
    const speaking = await tokens.verify("delegation", delegation).catch(ignoreInvalid);
    if (speaking?.issuer !== error.issuer) throw error;
    return { did: error.issuer, delegation: speaking };
  }
}

/** If there is an invocation, an invalid delegation is ignored. */
function ignoreInvalid(error: unknown): null {
  if (error instanceof AppError && error.code === "UNAUTHENTICATED") return null;
  throw error;
}

function orUndefined(text: string | undefined): string | undefined {
  return text === undefined || text === "" ? undefined : text;
}
