import { type Claim, type FileAbility, formatResource } from "../identity/mint.ts";

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
  /** DID of a person or program to delegate to; blank makes a bearer for this server. */
  audience: string;
  reveal: boolean;
};

export type TokenProblem = "ability" | "path" | "audience" | "lifetime";

/** A bearer may live 24 hours, a delegation longer. */
export function lifetimesFor(audience: string): readonly Lifetime[] {
  return audience.trim() === "" ? lifetimes.slice(0, 3) : lifetimes;
}

/** What keeps a request from being signed. */
export function tokenProblems(request: TokenRequest): TokenProblem[] {
  const problems: TokenProblem[] = [];
  if (request.abilities.length === 0) problems.push("ability");
  if (!isPath(request.path)) problems.push("path");
  const audience = request.audience.trim();
  if (audience !== "" && !/^did:[a-z0-9]+:[A-Za-z0-9._%:-]+$/.test(audience)) problems.push("audience");
  if (!lifetimesFor(audience).includes(request.lifetime)) problems.push("lifetime");
  return problems;
}

function isPath(path: string): boolean {
  if (path === "/") return true;
  const segments = path.split("/").slice(1);
  return path.startsWith("/") && segments.every((segment) => !["", ".", ".."].includes(segment));
}

/** The claims of a token, and its end in unix seconds. */
export function claimsOf(
  owner: string,
  { abilities, path, lifetime, reveal }: TokenRequest,
  now = Date.now(),
): { claims: Claim[]; expiration: number } {
  const resource = formatResource(owner, path.normalize("NFC"));
  const claims = abilities.map((can) => ({ can, with: resource, ...(reveal ? { nb: { hidden: "*" } } : {}) }));
  return { claims, expiration: Math.floor(now / 1000) + seconds[lifetime] };
}
