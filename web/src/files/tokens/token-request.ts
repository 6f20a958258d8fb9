import { type Claim, type FileAbility, formatResource } from "../../identity/resource.ts";

export const lifetimes = ["30m", "2h", "24h", "7d", "30d", "365d"] as const;
export type Lifetime = (typeof lifetimes)[number];

const seconds: Record<Lifetime, number> = {
  "30m": 1_800,
  "2h": 7_200,
  "24h": 86_400,
  "7d": 604_800,
  "30d": 2_592_000,
  "365d": 31_536_000,
};

export type TokenRequest = {
  abilities: readonly FileAbility[];
  path: string;
  lifetime: Lifetime;
  /** DID of the person or program to delegate to; blank makes a bearer token for this server. */
  audience: string;
  reveal: boolean;
  /** CIDs separated by blanks: the token can only read these contents. Blank: no such limit. */
  cids: string;
  /** A bearer token that works once. */
  once: boolean;
};

export type TokenProblem = "ability" | "path" | "audience" | "lifetime" | "cids";

/** A bearer token may live up to 24 hours, a delegation longer. */
export function lifetimesFor(audience: string): readonly Lifetime[] {
  return audience.trim() === "" ? lifetimes.slice(0, 3) : lifetimes;
}

/** The problems of a request; it can be signed when there are none. */
export function tokenProblems(request: TokenRequest): TokenProblem[] {
  const problems: TokenProblem[] = [];
  if (request.abilities.length === 0) problems.push("ability");
  if (!isPath(request.path)) problems.push("path");
  const audience = request.audience.trim();
  if (audience !== "" && !/^did:[a-z0-9]+:[A-Za-z0-9._%:-]+$/.test(audience)) problems.push("audience");
  if (!lifetimesFor(audience).includes(request.lifetime)) problems.push("lifetime");
  if (cidsOf(request).some((cid) => !/^[A-Za-z0-9]{20,128}$/.test(cid))) problems.push("cids");
  return problems;
}

function isPath(path: string): boolean {
  if (path === "/") return true;
  const segments = path.split("/").slice(1);
  return path.startsWith("/") && segments.every((segment) => !["", ".", ".."].includes(segment));
}

/** The capabilities and facts of a token, and its expiry in unix seconds. */
export function claimsOf(
  owner: string,
  request: TokenRequest,
  now = Date.now(),
): { claims: Claim[]; expiration: number; facts: { nonce: string }[] } {
  const { abilities, path, lifetime, reveal, once, audience } = request;
  const resource = formatResource(owner, path.normalize("NFC"));
  const cids = cidsOf(request);
  const caveats = { ...(reveal ? { hidden: "*" } : {}), ...(cids.length === 0 ? {} : { cids }) };
  const nb = Object.keys(caveats).length === 0 ? {} : { nb: caveats };
  // The nonce fact has no effect in a delegation.
  const facts = once && audience.trim() === "" ? [{ nonce: crypto.randomUUID() }] : [];
  const claims = abilities.map((can) => ({ can, with: resource, ...nb }));
  return { claims, expiration: Math.floor(now / 1000) + seconds[lifetime], facts };
}

function cidsOf({ cids }: TokenRequest): string[] {
  return cids.split(/[\s,]+/).filter((cid) => cid !== "");
}
