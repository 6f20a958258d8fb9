import type { CoreDeps } from "../../platform/core.ts";
import { AppError } from "../../platform/errors.ts";
import { clientNetwork } from "../../platform/http/client-address.ts";
import { rateLimitHeaders } from "../../platform/http/rate-limit.ts";
import type { OracleRuntimeConfig } from "../configuration.ts";
import type { HeldDelegation, MatrixSession } from "../wire/turn.ts";
import { ExpiredTokenError, type Meet, type TokenVerifier } from "./tokens.ts";

/** Who speaks, and what of theirs the oracle may use. */
export type Caller = {
  did: string;
  delegation: HeldDelegation | null;
  /** Its session at a home server, where the request tells one. */
  matrix?: MatrixSession | undefined;
};

/** What a request or a socket's handshake carries. */
export type Artifacts = { invocation: string | undefined; delegation: string | undefined };

export const missingArtifacts =
  "Missing UCAN authentication: provide Authorization: Bearer <invocation> with X-Auth-Type: ucan, or an x-ucan-delegation header";

/** The artifacts of an HTTP request; a bearer without `X-Auth-Type: ucan` is somebody else's. */
export function readArtifacts(header: (name: string) => string | undefined): Artifacts {
  const isUcan = header("x-auth-type")?.trim().toLowerCase() === "ucan";
  const bearer = isUcan ? /^Bearer +(.*)$/i.exec(header("authorization") ?? "")?.[1]?.trim() : undefined;
  return { invocation: orUndefined(bearer), delegation: orUndefined(header("x-ucan-delegation")?.trim()) };
}

/** The session at a home server that a request's headers tell; undefined unless both are there. */
export function readMatrixSession(header: (name: string) => string | undefined): MatrixSession | undefined {
  const accessToken = header("x-matrix-access-token")?.trim();
  const homeServer = header("x-matrix-homeserver")?.trim();
  return accessToken && homeServer ? { accessToken, homeServer } : undefined;
}

export type AuthenticateOptions = {
  tokens: TokenVerifier;
  /** False: the oracle has no signing mnemonic, and takes nobody's word. */
  loaded: boolean;
  /** Sockets send again what they first sent: there an expired invocation passes beside a valid delegation of the same user. */
  forgiveExpired?: boolean;
  /** Asked before somebody is believed who was not met before. @throws AppError RATE_LIMITED */
  meet?: Meet;
};

type MeetOptions = Pick<CoreDeps<OracleRuntimeConfig>, "config" | "rateLimiter">;

/**
 * Count somebody new. Users have limits of their own, but anybody can be a new user with each request: of those an address may bring
 * so many a minute.
 * @throws AppError RATE_LIMITED
 */
export async function meetFrom(address: string, { config, rateLimiter }: MeetOptions): Promise<void> {
  const allowance = await rateLimiter.consume(`oracle-new:${clientNetwork(address)}`, config.oracle.newUsersPerMinute);
  if (allowance.allowed) return;
  const message = `An address may bring ${allowance.limit} new users a minute.`;
  throw new AppError("RATE_LIMITED", message, { headers: rateLimitHeaders(allowance) });
}

/**
 * Find out who calls. The invocation decides where there is one; else the delegation does.
 * @throws AppError UNAUTHENTICATED
 */
export async function authenticate(artifacts: Artifacts, options: AuthenticateOptions): Promise<Caller> {
  if (!options.loaded) throw new AppError("UNAUTHENTICATED", "The oracle's signing mnemonic is not loaded.");
  const { tokens, forgiveExpired = false, meet } = options;
  const { invocation, delegation } = artifacts;
  if (invocation === undefined && delegation === undefined) throw new AppError("UNAUTHENTICATED", missingArtifacts);
  if (invocation === undefined) {
    const held = await tokens.verify("delegation", delegation ?? "", meet);
    return { did: held.issuer, delegation: held };
  }
  const held = delegation === undefined ? null : await tokens.verify("grant", delegation, meet).catch(notHeld);
  try {
    const { issuer } = await tokens.verify("invocation", invocation, meet);
    return { did: issuer, delegation: held?.issuer === issuer ? held : null };
  } catch (error) {
    if (!forgiveExpired || !(error instanceof ExpiredTokenError) || delegation === undefined) throw error;
    // Here the delegation says who calls: one over files alone does not.
    const speaking = await tokens.verify("delegation", delegation).catch(notHeld);
    if (speaking?.issuer !== error.issuer) throw error;
    return { did: error.issuer, delegation: speaking };
  }
}

/** Beside an invocation a delegation that is no good is as none. */
function notHeld(error: unknown): null {
  if (error instanceof AppError && error.code === "UNAUTHENTICATED") return null;
  throw error;
}

function orUndefined(text: string | undefined): string | undefined {
  return text === undefined || text === "" ? undefined : text;
}
