import { createHash } from "node:crypto";
import type { DIDDocument, DIDResolutionResult, Resolvable } from "did-resolver";
import { BoundedCache } from "../bounded-cache.ts";
import { AppError } from "../errors.ts";
import type { ServiceIdentity } from "../identity/index.ts";
import type { CoreDeps } from "../server/index.ts";
import { holdsForbiddenText } from "../values/json.ts";
import type { Grant } from "./grant.ts";
import { createNonceStore, type NonceStore } from "./nonce-store.ts";
import { createRevocationStore, type RevocationStore } from "./revocation-store.ts";
import { deriveScopes, factsNamed } from "./token/capabilities.ts";
import { type Chain, decodeChain, type Link } from "./token/delegation-chain.ts";
import { brokenBearerRules, brokenLinkRules, clockTolerance } from "./token/link-rules.ts";
import { createSignatureVerifier, type SignatureVerifier } from "./token/signatures.ts";
import { refuseToken, type TokenProblem } from "./token/token-error.ts";

/** Turns bearer tokens into grants. */
export interface Authority {
  /**
   * Verify the header `Authorization: Bearer <base64 CAR>`.
   * @throws AppError UNAUTHENTICATED without a token; INVALID_TOKEN, EXPIRED, TOO_EARLY, WRONG_AUDIENCE, ESCALATION, REVOKED,
   * REPLAYED for a bad one; all 401
   */
  verifyBearer(header: string | undefined): Promise<Grant>;
}

export type OpenAuthority = Authority & { revocations: RevocationStore; signatures: SignatureVerifier };

export type AuthorityDeps = Pick<CoreDeps, "db" | "exclusive" | "clock"> & {
  identity: Pick<ServiceIdentity, "did" | "audiences" | "document">;
  /** Resolves did:web, did:ethr and other DIDs except did:key. */
  resolver: Resolvable;
};

type Verified = { grant: Grant; links: { identity: string; place: string }[] };

const maxCached = 10_000;

export function openAuthority(deps: AuthorityDeps): OpenAuthority {
  return new TokenAuthority(deps);
}

class TokenAuthority implements OpenAuthority {
  readonly revocations: RevocationStore;
  readonly signatures: SignatureVerifier;
  readonly #nonces: NonceStore;
  readonly #cache = new BoundedCache<string, Verified>(maxCached);
  readonly #clock: AuthorityDeps["clock"];
  readonly #audiences: readonly string[];

  constructor({ db, exclusive, clock, identity, resolver }: AuthorityDeps) {
    this.revocations = createRevocationStore({ db, exclusive });
    this.signatures = createSignatureVerifier(withOwnDocument(identity, resolver));
    this.#nonces = createNonceStore(db);
    this.#clock = clock;
    this.#audiences = identity.audiences;
  }

  async verifyBearer(header: string | undefined): Promise<Grant> {
    const text = /^Bearer +(\S+) *$/i.exec(header ?? "")?.[1];
    if (text === undefined) {
      throw new AppError("UNAUTHENTICATED", "A token is needed: Authorization: Bearer <base64 CAR>.");
    }
    const name = createHash("sha256").update(text).digest("base64");
    const known = this.#cache.get(name);
    if (known !== undefined && known.grant.expiresAt.getTime() / 1000 + clockTolerance > this.#now()) {
      await this.#refuseRevoked(known.links);
      return known.grant;
    }
    const { kept, grant, links } = await this.#verify(text);
    // DID documents can change, so tokens that depend on them are verified each time.
    if (kept) this.#cache.set(name, { grant, links: links.map(({ identity, place }) => ({ identity, place })) });
    return grant;
  }

  async #verify(text: string): Promise<Verified & { kept: boolean }> {
    const chain = decodeChain(text);
    const { bearer, links } = chain;
    const derived = deriveScopes(chain);
    const singleUse = readNonces(bearer);
    const problems = [
      ...brokenLinkRules(chain),
      ...brokenBearerRules(chain, { now: this.#now(), audiences: this.#audiences }),
      ...derived.problems,
      ...singleUse.problems,
    ];
    const closed = links.every(({ issuer }) => issuer.startsWith("did:key:"));
    // DID documents are not fetched for a token that is refused anyway.
    if (closed || problems.length === 0) problems.push(...(await this.signatures.brokenSignatures(links)));
    refuseToken(problems);
    const confirm = () => this.#confirm(grant.expiresAt, links);
    const grant: Grant = { ...toGrant(chain, derived.owner ?? "", derived.scopes), confirm };
    await this.#refuseRevoked(links);
    for (const nonce of singleUse.nonces) await this.#useNonce(bearer, nonce);
    return { grant, links, kept: closed && singleUse.nonces.length === 0 };
  }

  async #confirm(expiresAt: Date, links: Verified["links"]): Promise<void> {
    refuseExpired(expiresAt, this.#clock.now());
    await this.#refuseRevoked(links);
  }

  async #refuseRevoked(links: Verified["links"]): Promise<void> {
    const revoked = await this.revocations.revokedAmong(links.map((link) => link.identity));
    if (revoked.size === 0) return;
    const found = links.filter((link) => revoked.has(link.identity));
    refuseToken(found.map(({ place }) => problem("REVOKED", "revoked", "This link has been revoked.", place)));
  }

  async #useNonce({ issuer, place, expiration }: Link, nonce: string): Promise<void> {
    const expiresAt = new Date(expiration * 1000);
    if (await this.#nonces.use({ issuer, nonce, expiresAt, now: this.#clock.now() })) return;
    refuseToken([problem("REPLAYED", "nonce", "A nonce of this issuer serves once.", place)]);
  }

  /** Unix seconds. */
  #now(): number {
    return Math.floor(this.#clock.now().getTime() / 1000);
  }
}

/** Resolve this service's own DID without a network request. */
function withOwnDocument({ did, document }: AuthorityDeps["identity"], resolver: Resolvable): Resolvable {
  const own: DIDResolutionResult = {
    didDocument: document as DIDDocument,
    didDocumentMetadata: {},
    didResolutionMetadata: {},
  };
  return { resolve: async (asked) => (asked === did ? own : resolver.resolve(asked)) };
}

/** @throws AppError EXPIRED when the token has expired since it was verified */
export function refuseExpired(expiresAt: Date, now: Date): void {
  if (expiresAt.getTime() + clockTolerance * 1000 > now.getTime()) return;
  refuseToken([problem("EXPIRED", "expiration", "The token has expired since the request began.", "token")]);
}

function toGrant({ bearer, links }: Chain, owner: string, scopes: Grant["scopes"]): Omit<Grant, "confirm"> {
  const whole = ({ path, cids }: Grant["scopes"][number]) => path === "/" && cids === null;
  const [runId] = factsNamed(bearer, "runId").filter(isRecordable);
  const [toolCallId] = factsNamed(bearer, "toolCallId").filter(isRecordable);
  const agent = { ...(runId === undefined ? {} : { runId }), ...(toolCallId === undefined ? {} : { toolCallId }) };
  return {
    owner,
    invoker: bearer.issuer,
    tokenCid: bearer.cid,
    expiresAt: new Date(Math.min(...links.map(({ expiration }) => expiration)) * 1000),
    scopes,
    root: bearer.issuer === owner && scopes.some(whole),
    ...(Object.keys(agent).length === 0 ? {} : { agent }),
  };
}

function readNonces(bearer: Link): { nonces: string[]; problems: TokenProblem[] } {
  const values = factsNamed(bearer, "nonce");
  const message = "A `nonce` fact is text of 1 to 256 characters.";
  const problems = values.every(isShortText) ? [] : [problem("INVALID_TOKEN", "nonce", message, bearer.place)];
  return { nonces: [...new Set(values.filter(isShortText))], problems };
}

function isShortText(value: unknown): value is string {
  return typeof value === "string" && value.length >= 1 && value.length <= 256;
}

/** True for text that an audit row can store. */
function isRecordable(value: unknown): value is string {
  return isShortText(value) && !holdsForbiddenText(value);
}

function problem(code: TokenProblem["code"], rule: string, message: string, path: string): TokenProblem {
  return { code, rule, message, path };
}
