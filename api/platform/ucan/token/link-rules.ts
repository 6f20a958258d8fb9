import { isDid } from "../resource.ts";
import type { Chain, Link } from "./delegation-chain.ts";
import type { TokenCode, TokenProblem } from "./token-error.ts";

/** Tolerated difference between clocks, in seconds. */
export const clockTolerance = 60;
/** Longest remaining life of a bearer token, in seconds. */
export const longestLife = 24 * 3600;

/** Rules about issuers and audiences that the links break. */
export function brokenLinkRules({ links }: Chain): TokenProblem[] {
  return links.flatMap((link) => [...brokenNames(link), ...brokenAudiences(link)]);
}

/** Rules about bearers and about times that the chain breaks. `now`: unix seconds; `audiences`: the service's DIDs. */
export function brokenBearerRules(
  { bearer, links }: Chain,
  { now, audiences }: { now: number; audiences: readonly string[] },
): TokenProblem[] {
  const problems: TokenProblem[] = [];
  if (!audiences.includes(bearer.audience)) {
    problems.push(problem(bearer, "WRONG_AUDIENCE", "audience", "The token is not addressed to this service."));
  }
  if (bearer.expiration > now + longestLife + clockTolerance) {
    problems.push(problem(bearer, "INVALID_TOKEN", "token-ttl", "A bearer token expires within 24 hours."));
  }
  return [...problems, ...links.flatMap((link) => brokenTimes(link, now))];
}

function brokenNames(link: Link): TokenProblem[] {
  if (isDid(link.issuer) && isDid(link.audience)) return [];
  return [problem(link, "INVALID_TOKEN", "did", "Issuer and audience are DIDs without path, query or fragment.")];
}

function brokenAudiences(link: Link): TokenProblem[] {
  return link.proofs
    .filter((proof) => proof.audience !== link.issuer)
    .map((proof) => problem(proof, "WRONG_AUDIENCE", "audience", "A proof's audience is the issuer of the next link."));
}

function brokenTimes(link: Link, now: number): TokenProblem[] {
  const { expiration, notBefore } = link;
  const problems: TokenProblem[] = [];
  if (!Number.isSafeInteger(expiration)) {
    problems.push(problem(link, "INVALID_TOKEN", "finite-expiry", "Every link of a token expires at some time."));
  }
  if (expiration + clockTolerance <= now) problems.push(problem(link, "EXPIRED", "expiry", "This link has expired."));
  if (notBefore !== undefined && notBefore - clockTolerance > now) {
    problems.push(problem(link, "TOO_EARLY", "not-before", "This link is not valid yet."));
  }
  return problems;
}

function problem(link: Link, code: TokenCode, rule: string, message: string): TokenProblem {
  return { code, rule, message, path: link.place };
}
