import { createHash } from "node:crypto";
import { BoundedCache } from "../../platform/bounded-cache.ts";
import { AppError, type RuleDetail } from "../../platform/errors.ts";
import {
  brokenLinkRules,
  type Chain,
  decodeChain,
  isVfs,
  type RevocationStore,
  type SignatureVerifier,
} from "../../platform/ucan/index.ts";
import type { HeldDelegation } from "../wire/turn.ts";

/** Longest lifetime of an invocation, in seconds. */
const longestInvocation = 15 * 60;
/** Tolerated difference between clocks, in seconds. */
const tolerance = 60;
/** How long a verification is cached when an issuer's DID document can change, in milliseconds. */
const documentTtlMs = 60_000;
const maxCached = 10_000;

const invocationAbilities = new Set(["*", "oracle/*", "oracle/chat"]);

/** A `grant` is a delegation that does not authenticate the caller. It may be only for files. */
export type TokenKind = "invocation" | "delegation" | "grant";

export type OnNewUser = () => Promise<void>;

/** A valid token, except for expiry and revocation, which are checked at each use. */
type Verified = HeldDelegation & { notBefore: number; identities: string[] };
type Cached = { verified: Verified; recheckAt: number };

export type TokenDeps = {
  signatures: SignatureVerifier;
  revocations: RevocationStore;
  /** DIDs of the oracle. */
  audiences: readonly string[];
  clock: { now: () => Date };
};

/** A token whose only fault is that it has expired. */
export class ExpiredTokenError extends AppError {
  readonly issuer: string;

  constructor(kind: TokenKind, issuer: string) {
    const message = "The token, or a link of its chain, has expired.";
    super("UNAUTHENTICATED", `Invalid UCAN ${nameOf(kind)}`, { details: [{ path: "token", rule: "expiry", message }] });
    this.issuer = issuer;
  }
}

/** Verifies invocations and delegations. Caches what it has verified until the token expires or is revoked. */
export class TokenVerifier {
  readonly #deps: TokenDeps;
  readonly #cache = new BoundedCache<string, Cached>(maxCached);
  /** Issuers of tokens that this process has verified. */
  readonly #knownIssuers = new BoundedCache<string, true>(maxCached);

  constructor(deps: TokenDeps) {
    this.#deps = deps;
  }

  /**
   * Verify a base64 CAR of the kind. An invocation may be used again until it expires.
   * @param onNewUser called before the token of an issuer without an earlier token is verified
   * @throws ExpiredTokenError when nothing else is wrong; else AppError UNAUTHENTICATED with every broken rule
   */
  async verify(kind: TokenKind, text: string, onNewUser?: OnNewUser): Promise<HeldDelegation> {
    const key = `${kind} ${createHash("sha256").update(text).digest("base64")}`;
    const now = this.#deps.clock.now().getTime();
    const known = this.#cache.get(key);
    const verified =
      known !== undefined && known.recheckAt > now ? known.verified : await this.#read(kind, text, { key, onNewUser });
    const seconds = Math.floor(now / 1000);
    if (verified.notBefore - tolerance > seconds) refuse(kind, [rule("not-before", "The token is not valid yet.")]);
    const revoked = await this.#deps.revocations.revokedAmong(verified.identities);
    if (revoked.size > 0) refuse(kind, [rule("revoked", "The token, or a link of its chain, has been revoked.")]);
    if (verified.expiration <= seconds) throw new ExpiredTokenError(kind, verified.issuer);
    return verified;
  }

  async #read(
    kind: TokenKind,
    text: string,
    { key, onNewUser }: { key: string; onNewUser: OnNewUser | undefined },
  ): Promise<Verified> {
    const { signatures, audiences, clock } = this.#deps;
    const now = clock.now().getTime();
    const chain = decode(kind, text);
    const { issuer } = chain.bearer;
    if (this.#knownIssuers.get(issuer) === undefined) await onNewUser?.();
    const problems = [
      ...brokenLinkRules(chain),
      ...brokenRules(kind, chain, { audiences, now: Math.floor(now / 1000) }),
    ];
    const closed = chain.links.every(({ issuer }) => issuer.startsWith("did:key:"));
    // Check this first, so that no DID documents are fetched for a token that is refused anyway.
    if (closed || problems.length === 0) problems.push(...(await signatures.brokenSignatures(chain.links)));
    refuse(kind, problems);
    const verified = toVerified(text, chain);
    this.#knownIssuers.set(issuer, true);
    this.#cache.set(key, { verified, recheckAt: closed ? Number.POSITIVE_INFINITY : now + documentTtlMs });
    return verified;
  }
}

function decode(kind: TokenKind, text: string): Chain {
  try {
    return decodeChain(text);
  } catch (cause) {
    const details = cause instanceof AppError ? cause.details : [rule("token", "The token cannot be read.")];
    throw new AppError("UNAUTHENTICATED", `Invalid UCAN ${nameOf(kind)}`, { cause, details });
  }
}

type Place = { audiences: readonly string[]; now: number };

function brokenRules(kind: TokenKind, { bearer, links }: Chain, { audiences, now }: Place): RuleDetail[] {
  const problems: RuleDetail[] = [];
  if (!audiences.includes(bearer.audience)) {
    problems.push(rule("audience", "The token is not addressed to this oracle."));
  }
  if (!links.every(({ expiration }) => Number.isSafeInteger(expiration))) {
    problems.push(rule("finite-expiry", "Every link of a token must have an expiration."));
  } else if (kind === "invocation" && bearer.expiration > now + longestInvocation + tolerance) {
    problems.push(rule("token-ttl", "An invocation must expire within 15 minutes."));
  }
  const own = resources(bearer.issuer, audiences);
  const given = bearer.claims.some(({ can, with: resource }) => {
    if (kind === "invocation") return invocationAbilities.has(can) && own.has(resource);
    return isOfOracle(resource, own) || (kind === "grant" && isVfs(resource));
  });
  if (!given) problems.push(rule("capability", `The ${nameOf(kind)} has no capability for this oracle.`));
  return problems;
}

const nameOf = (kind: TokenKind) => (kind === "grant" ? "delegation" : kind);

function resources(issuer: string, audiences: readonly string[]): ReadonlySet<string> {
  return new Set(["ixo:oracle", issuer, ...audiences]);
}

/** Check whether a delegated resource concerns the oracle. A delegation only for files does not authenticate its issuer. */
function isOfOracle(resource: string, own: ReadonlySet<string>): boolean {
  return !isVfs(resource) && (own.has(resource) || /^ixo:/i.test(resource));
}

function toVerified(raw: string, { bearer, links }: Chain): Verified {
  return {
    raw,
    cid: bearer.cid,
    issuer: bearer.issuer,
    expiration: Math.min(...links.map(({ expiration }) => expiration)),
    notBefore: Math.max(...links.map(({ notBefore }) => notBefore ?? 0)),
    capabilities: bearer.claims,
    identities: links.map(({ identity }) => identity),
  };
}

function rule(name: string, message: string): RuleDetail {
  return { path: "token", rule: name, message };
}

function refuse(kind: TokenKind, details: RuleDetail[]): void {
  if (details.length > 0)
    throw new AppError("UNAUTHENTICATED", `Invalid UCAN ${nameOf(kind)}`, { details: plain(details) });
}

/** Remove the codes that signature problems carry for the file store. */
function plain(details: RuleDetail[]): RuleDetail[] {
  return details.slice(0, 50).map(({ path = "token", rule, message }) => ({ path, rule, message }));
}
