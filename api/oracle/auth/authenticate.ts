import { AppError } from "../../errors.ts";
import type { HeldDelegation, MatrixSession } from "../turn.ts";
import { ExpiredTokenError, type TokenVerifier } from "./tokens.ts";

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
};

/**
 * Find out who calls. The invocation decides where there is one; else the delegation does.
 * @throws AppError UNAUTHENTICATED
 */
export async function authenticate(artifacts: Artifacts, options: AuthenticateOptions): Promise<Caller> {
  if (!options.loaded) throw new AppError("UNAUTHENTICATED", "The oracle's signing mnemonic is not loaded.");
  const { tokens, forgiveExpired = false } = options;
  const { invocation, delegation } = artifacts;
  if (invocation === undefined && delegation === undefined) throw new AppError("UNAUTHENTICATED", missingArtifacts);
  if (invocation === undefined) {
    const held = await tokens.verify("delegation", delegation ?? "");
    return { did: held.issuer, delegation: held };
  }
  const held = delegation === undefined ? null : await tokens.verify("delegation", delegation).catch(notHeld);
  try {
    const { issuer } = await tokens.verify("invocation", invocation);
    return { did: issuer, delegation: held?.issuer === issuer ? held : null };
  } catch (error) {
    const forgiven = forgiveExpired && error instanceof ExpiredTokenError && error.issuer === held?.issuer;
    if (forgiven) return { did: error.issuer, delegation: held };
    throw error;
  }
}

/** Beside an invocation a delegation that is no good is as none. */
function notHeld(error: unknown): null {
  if (error instanceof AppError) return null;
  throw error;
}

function orUndefined(text: string | undefined): string | undefined {
  return text === undefined || text === "" ? undefined : text;
}
