import { CID } from "multiformats/cid";
import { AppError, type RuleDetail } from "../platform/errors.ts";
import { decodeCursor, toPage } from "../platform/http/index.ts";
import {
  brokenLinkRules,
  type Chain,
  decodeChain,
  deriveScopes,
  type Link,
  linksAbove,
  notFound,
  type OpenAuthority,
  parseCid,
  type RevocationRow,
} from "../platform/ucan/index.ts";
import type { FileContext } from "./deps.ts";
import { unixSeconds } from "./records/file-metadata.ts";
import { changeNamespace } from "./records/namespace-lock.ts";

/** A revoked UCAN as the API shows it; times are unix seconds. */
export type Revocation = {
  cid: string;
  /** DID of the namespace that it gave access to. */
  namespace: string;
  issuer: string;
  audience: string;
  revokedBy: string;
  revokedAt: number;
  /** Absent if the UCAN had no expiration. */
  expiresAt?: number;
};

type Authority = Pick<OpenAuthority, "revocations" | "signatures">;

const dagCbor = 0x71;
const raw = 0x55;

/**
 * Revoke a UCAN and every UCAN derived from it, with immediate effect. `token` is a base64 CAR that contains it and its proofs,
 * possibly within a longer chain. The caller's bearer token must come from an issuer of the UCAN or of a link above it. @returns
 * `created` is false if it was already revoked @throws AppError INVALID_INPUT for a token that does not contain the UCAN or
 * breaks a rule of chains; FORBIDDEN for callers other than its issuers
 */
export async function revokeToken(
  ctx: FileContext,
  authority: Authority,
  input: { cid: string; token: string },
): Promise<{ revocation: Revocation; created: boolean }> {
  ctx.access.requireAbility("fs/list");
  const chain = await readShown(authority, input);
  const { invoker, tokenCid, agent } = ctx.access.grant;
  if (!chain.links.some(({ issuer }) => issuer === invoker)) {
    throw new AppError("FORBIDDEN", "Only an issuer in a token's chain may revoke it.", {
      details: [{ rule: "issuer-in-chain", message: "The bearer's issuer must have issued it or a link above it." }],
    });
  }
  const { owner, problems } = deriveScopes(chain);
  if (owner === undefined || problems.length > 0)
    throw refused(problems.map(({ rule, message }) => ({ rule, message })));
  const row = toRow(chain.bearer, { owner, revokedBy: invoker, revokedAt: ctx.deps.clock.now() });
  const created = await changeNamespace(ctx.deps, owner, async (tx) => {
    if (!(await authority.revocations.insert(tx, row))) return false;
    const event = { kind: "token.revoked", namespace: owner, actor: owner, invoker, tokenCid, agent } as const;
    await ctx.deps.files.audit.record(tx, [event]);
    return true;
  });
  await authority.revocations.committed(row.identity);
  const kept = created ? row : ((await authority.revocations.find(row.identity)) ?? row);
  return { revocation: toRevocation(kept), created };
}

/**
 * List revocations, oldest first: all in the namespace for the owner's token, for others those that concern the bearer's issuer.
 * @throws AppError FORBIDDEN for tokens without `fs/list`; INVALID_INPUT for a cursor of another list
 */
export async function listRevocations(
  ctx: FileContext,
  { revocations }: Authority,
  { limit = 50, cursor }: { limit?: number | undefined; cursor?: string | undefined },
): Promise<{ items: Revocation[]; nextCursor: string | null }> {
  ctx.access.requireAbility("fs/list");
  const { owner, invoker, root } = ctx.access.grant;
  const after = readPosition(cursor);
  const rows = await revocations.list({ namespace: root ? owner : undefined, did: invoker }, limit, after);
  const page = toPage(rows, limit, (row) => [row.revokedAt.getTime(), row.identity]);
  return { items: page.items.map(toRevocation), nextCursor: page.nextCursor };
}

function readPosition(cursor: string | undefined): { at: Date; identity: string } | undefined {
  const [at, identity] = decodeCursor(cursor, 2) ?? [];
  if (at === undefined || identity === undefined) return undefined;
  if (typeof at === "number" && typeof identity === "string") return { at: new Date(at), identity };
  throw new AppError("INVALID_INPUT", "The cursor does not belong to this list.", {
    details: [{ path: "cursor", rule: "cursor", message: "Use the nextCursor of the previous page." }],
  });
}

/**
 * Read the revocation of a UCAN, for anyone who knows its CID. @throws AppError NOT_FOUND if it is not revoked; INVALID_INPUT for
 * a malformed CID; FORBIDDEN for tokens without `fs/list`
 */
export async function readRevocation(ctx: FileContext, { revocations }: Authority, cid: string): Promise<Revocation> {
  ctx.access.requireAbility("fs/list");
  const { multihash } = parseCid(cid).cid;
  const row = await revocations.findByCid([dagCbor, raw].map((code) => CID.createV1(code, multihash).toString()));
  if (row === undefined) throw notFound();
  return toRevocation(row);
}

/** Read the given UCAN and the links above it. All rules are checked except times, because expired UCANs may be revoked. */
async function readShown({ signatures }: Authority, { cid, token }: { cid: string; token: string }): Promise<Chain> {
  const { key } = parseCid(cid);
  const shown = readToken(token);
  const bearer = shown.links.find((link) => parseCid(link.cid).key === key);
  if (bearer === undefined)
    throw refused([{ rule: "cid-in-token", message: "The token must contain the UCAN with this CID." }]);
  const chain = { bearer, links: linksAbove(bearer) };
  const problems = [...brokenLinkRules(chain), ...(await signatures.brokenSignatures(chain.links))];
  if (problems.length > 0) throw refused(problems.map(({ rule, message }) => ({ rule, message })));
  return chain;
}

function readToken(token: string): Chain {
  try {
    return decodeChain(token);
  } catch (error) {
    if (error instanceof AppError) throw refused(error.details);
    throw error;
  }
}

/** The caller's bearer token is valid, so an invalid given token is invalid input. */
function refused(details: RuleDetail[]): AppError {
  const named = details.map(({ rule, message }) => ({ path: "token", rule, message }));
  return new AppError("INVALID_INPUT", "The token to revoke is not valid; see details.", { details: named });
}

function toRow(
  { identity, cid, issuer, audience, expiration }: Link,
  made: Pick<RevocationRow, "owner" | "revokedBy" | "revokedAt">,
) {
  const expiresAt = Number.isSafeInteger(expiration) ? new Date(expiration * 1000) : null;
  return { identity, cid, issuer, audience, expiresAt, ...made };
}

function toRevocation({ cid, owner, issuer, audience, revokedBy, revokedAt, expiresAt }: RevocationRow): Revocation {
  const common = { cid, namespace: owner, issuer, audience, revokedBy, revokedAt: unixSeconds(revokedAt) };
  return expiresAt === null ? common : { ...common, expiresAt: unixSeconds(expiresAt) };
}
