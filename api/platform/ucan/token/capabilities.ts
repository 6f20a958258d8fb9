import { abilitiesOf, coversAbility } from "../abilities.ts";
import type { Scope } from "../grant.ts";
import { isWithin } from "../paths.ts";
import { isVfs, parseResource } from "../resource.ts";
import { type Caveats, type Folded, foldCaveats, readCaveats, rootCaveats, widenedCaveats } from "./caveats.ts";
import type { Chain, Link } from "./delegation-chain.ts";
import type { TokenProblem } from "./token-error.ts";

/** One capability over files in a link. */
type FileClaim = { owner: string; path: string; can: string; caveats: Caveats };
/** A capability that the chain proves. */
type Proven = FileClaim & { folded: Folded };

export type Derived = { owner: string | undefined; scopes: Scope[]; problems: TokenProblem[] };

/**
 * Fold the capabilities of every link from the owner's down to the bearer's. A link that claims more than its proofs give makes the
 * whole token invalid. Signatures, times and audiences are checked elsewhere.
 */
export function deriveScopes({ bearer, links }: Chain): Derived {
  const problems: TokenProblem[] = [];
  const proven = new Map<string, Proven[]>();
  const claims = new Map<string, FileClaim[]>(links.map((link) => [link.cid, readClaims(link, problems)]));
  const prove = (link: Link): Proven[] => {
    const known = proven.get(link.cid);
    if (known !== undefined) return known;
    const given = link.proofs.flatMap(prove);
    const own = (claims.get(link.cid) ?? []).flatMap((claim) => proveClaim(link, claim, given, problems));
    proven.set(link.cid, own);
    return own;
  };
  const own = prove(bearer);
  const owners = new Set((claims.get(bearer.cid) ?? []).map(({ owner }) => owner));
  if (owners.size > 1) problems.push(invalid(bearer, "one-owner", "A bearer's capabilities are all of one owner."));
  if (owners.size === 0) problems.push(invalid(bearer, "no-capability", "The token has no capability over files."));
  return { owner: [...owners][0], scopes: own.map(toScope), problems };
}

function readClaims(link: Link, problems: TokenProblem[]): FileClaim[] {
  const claims: FileClaim[] = [];
  for (const { can, with: resource, nb } of link.claims) {
    if (!isVfs(resource)) continue;
    const parsed = parseResource(resource);
    const read = readCaveats(nb);
    for (const { rule, message } of read.problems) problems.push(invalid(link, rule, message));
    if (parsed === undefined) problems.push(invalid(link, "resource", "A resource is not vfs://<owner>[/<path>]."));
    else claims.push({ ...parsed, can, caveats: read.caveats });
  }
  return claims;
}

function proveClaim(link: Link, claim: FileClaim, given: Proven[], problems: TokenProblem[]): Proven[] {
  if (link.issuer === claim.owner) return [{ ...claim, folded: rootCaveats(claim.caveats) }];
  const ofOwner = given.filter(({ owner }) => owner === claim.owner);
  const parents = ofOwner.filter((parent) => widened(parent, claim).length === 0);
  const [first, ...others] = parents.map((parent) => foldCaveats(parent.folded, claim.caveats));
  if (first !== undefined) return [{ ...claim, folded: others.reduce(eitherCids, first) }];
  const nearest = ofOwner.map((parent) => widened(parent, claim)).sort((a, b) => a.length - b.length)[0];
  const reasons = nearest ?? [{ rule: "root-authority", message: "The chain does not begin with the owner." }];
  problems.push(...reasons.map((reason) => ({ code: "ESCALATION" as const, path: link.place, ...reason })));
  return [];
}

/** Combine several proofs of one capability: any of them suffices. They can differ only in inherited CIDs. */
function eitherCids(one: Folded, other: Folded): Folded {
  const cids = one.cids === null || other.cids === null ? null : new Set([...one.cids, ...other.cids]);
  return { ...one, cids };
}

function widened(parent: Proven, child: FileClaim): { rule: string; message: string }[] {
  const problems = widenedCaveats(parent.folded, child.caveats);
  if (!coversAbility(parent.can, child.can)) {
    problems.push({ rule: "ability-narrow", message: `The proof does not give ${child.can.slice(0, 64)}.` });
  }
  if (!isWithin(parent.path, child.path)) {
    problems.push({ rule: "path-narrow", message: "The path does not lie within the proof's." });
  }
  return problems;
}

function toScope({ path, can, folded }: Proven): Scope {
  return { abilities: abilitiesOf(can), path, ...folded };
}

function invalid(link: Link, rule: string, message: string): TokenProblem {
  return { code: "INVALID_TOKEN", rule, message, path: link.place };
}

/** List the values of a name in a link's facts. */
export function factsNamed({ facts }: Link, name: string): unknown[] {
  return facts.flatMap((fact) => Object.entries(fact ?? {}).flatMap(([key, value]) => (key === name ? [value] : [])));
}
