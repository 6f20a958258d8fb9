import { calculateJwkThumbprint } from "jose";
import type { Transaction } from "../../db/index.ts";
import { AppError } from "../../errors.ts";
import { decodeTimeCursor, type RequestContext, requireRole, toPage } from "../../http/index.ts";
import { changeOnce } from "../../idempotency/index.ts";
import type { KeyDeps } from "../deps.ts";
import { checkProof } from "../dpop.ts";
import { generateKey, hashSecret, parseKey, sameHash } from "../format.ts";
import { refuseBrokenInvitation, refuseBrokenKey, requireParticipants } from "../rules.ts";
import type { CreatedApiKey, NewApiKey } from "../schemas.ts";
import { toApiKey, toRow } from "../service.ts";
import type { KeyRow } from "../store.ts";
import { toProofKey } from "../verifier.ts";
import type {
  Acceptance,
  CreatedInvitation,
  DeviceInvitation,
  Invitation,
  InvitationOffer,
  NewInvitation,
} from "./schemas.ts";
import type { InvitationRow } from "./store.ts";

/** Most keys of one person's devices, open invitations included. Each may send as many requests as the first. */
const mostDevices = 10;

/** A request's proof of possession, and the URLs that it may name. */
export type ProofOfRequest = { proof: string | undefined; method: string; urls: string[] };

/**
 * Invite a person to make an API key on their device. Only this response holds the token.
 * @throws AppError FORBIDDEN unless the caller is an admin; NOT_FOUND when the supplier or implementer is not registered;
 *   RULE_VIOLATION with every rule that the role and its limits break
 */
export async function invite(deps: KeyDeps, ctx: RequestContext, input: NewInvitation): Promise<CreatedInvitation> {
  requireRole(ctx.actor, "admin");
  refuseBrokenInvitation(input.key, deps.clock.now());
  await requireParticipants(deps, input.key, "key.");
  return await keepInvitation(deps, ctx, input.key, input.validMinutes, deps.keys.invitations.insert);
}

/**
 * Invite the caller's next device: it gets a key with the same role, holder, limits and expiry.
 * @throws AppError RULE_VIOLATION unless the caller's key is bound to a key pair; CONFLICT when the person has too many devices
 */
export async function inviteDevice(
  deps: KeyDeps,
  ctx: RequestContext,
  input: DeviceInvitation,
): Promise<CreatedInvitation> {
  const row = ctx.actor.sessionId === undefined ? await deps.keys.store.find(ctx.actor.keyId) : undefined;
  if (row === undefined || row.publicJwk === null) {
    const message = "Only an API key that is bound to a key pair can invite another device.";
    throw new AppError("RULE_VIOLATION", message, { details: [{ rule: "bound-key", message }] });
  }
  const { insert, insertForDevice } = deps.keys.invitations;
  return await keepInvitation(deps, ctx, templateOf(row), input.validMinutes, async (tx, made) => {
    // An admin can create any number of keys.
    if (row.role === "admin") return await insert(tx, made);
    if (await insertForDevice(tx, made, mostDevices)) return;
    const message = `A person can have at most ${mostDevices} devices, open invitations included: ask an admin to revoke one.`;
    throw new AppError("CONFLICT", message, { details: [{ rule: "devices-of-person", message }] });
  });
}

/** List one page of invitations, newest first. @throws AppError FORBIDDEN unless the caller is an admin */
export async function listInvitations(
  deps: KeyDeps,
  ctx: RequestContext,
  query: { limit: number; cursor?: string | undefined },
) {
  requireRole(ctx.actor, "admin");
  const position = decodeTimeCursor(query.cursor);
  const after = position && { createdAt: position.at, id: position.id };
  const rows = await deps.keys.invitations.list(query.limit, after);
  const { items, nextCursor } = toPage(rows, query.limit, (row) => [row.createdAt.getTime(), row.id]);
  const now = deps.clock.now();
  return { items: items.map((row) => toInvitation(row, now)), nextCursor };
}

/** Revoke an invitation that is open. @throws AppError FORBIDDEN; NOT_FOUND; CONFLICT when it was accepted */
export async function revokeInvitation(deps: KeyDeps, ctx: RequestContext, id: string): Promise<Invitation> {
  requireRole(ctx.actor, "admin");
  const row = await deps.keys.invitations.revoke(id, deps.clock.now());
  if (row === undefined) throw new AppError("NOT_FOUND", `There is no invitation ${id}.`);
  if (row.acceptedAt !== null) {
    throw new AppError("CONFLICT", `The invitation was accepted. Revoke the API key ${row.keyId} instead.`);
  }
  deps.log.info({ invitationId: id, by: ctx.actor.keyId }, "invitation revoked");
  return toInvitation(row, deps.clock.now());
}

/** Show who is invited to do what, to anyone with the token. @throws AppError NOT_FOUND unless the invitation is open */
export async function readOffer(deps: KeyDeps, token: string): Promise<InvitationOffer> {
  const row = await requireValid(deps, token);
  if (row.acceptedAt !== null) throw invalidInvitation();
  const { name, role, supplierDid = null, implementerDid = null } = row.key;
  return { name, role, supplierDid, implementerDid, expiresAt: row.expiresAt.toISOString() };
}

/**
 * Make the API key of an invitation, bound to the key pair of the device that accepts. The same device may repeat the
 * request if the answer was lost: it gets a new secret for the same key, and the previous one stops working.
 * @throws AppError UNAUTHENTICATED without a proof by the pair; NOT_FOUND unless the invitation is open
 */
export async function acceptInvitation(
  deps: KeyDeps,
  input: Acceptance,
  request: ProofOfRequest,
): Promise<CreatedApiKey> {
  const now = deps.clock.now();
  const row = await requireValid(deps, input.token);
  const invited: NewApiKey = { ...row.key, publicJwk: input.publicJwk };
  refuseBrokenKey(invited, now);
  await requirePossession(deps, row, input, request);
  await requireParticipants(deps, invited);
  if (row.acceptedAt === null) {
    const { id, key, secretHash } = generateKey();
    const made = toRow(invited, { id, secretHash, createdBy: row.createdBy, createdAt: now });
    if (await deps.keys.invitations.accept(row.id, made)) {
      deps.log.info({ invitationId: row.id, keyId: id, role: made.role, by: row.createdBy }, "invitation accepted");
      return { ...toApiKey(made), key };
    }
  }
  return await replaceSecret(deps, row.id, input);
}

/** Give the device that has accepted a new secret, in case the first answer was lost. */
async function replaceSecret(deps: KeyDeps, invitationId: string, input: Acceptance): Promise<CreatedApiKey> {
  const { keyId } = (await deps.keys.invitations.find(invitationId)) ?? {};
  const held = keyId === null || keyId === undefined ? undefined : await deps.keys.store.find(keyId);
  if (held === undefined || held.publicJwk === null || held.revokedAt !== null) throw invalidInvitation();
  const [own, named] = await Promise.all([held.publicJwk, input.publicJwk].map((jwk) => calculateJwkThumbprint(jwk)));
  if (own !== named) throw invalidInvitation();
  const { key, secretHash } = generateKey("hk", held.id);
  await deps.keys.store.changeSecret(held.id, secretHash);
  deps.keys.verifier.forget(held.id);
  return { ...toApiKey(held), key };
}

/**
 * Store an invitation once for a request with an Idempotency-Key. A repeat after a kill that came before the response gives the same
 * invitation another token, as nothing keeps the first one.
 * @throws AppError CONFLICT for a repeat when the invitation was revoked meanwhile
 */
async function keepInvitation(
  deps: KeyDeps,
  ctx: RequestContext,
  key: InvitationRow["key"],
  validMinutes: number,
  insert: (tx: Transaction, row: InvitationRow) => Promise<void>,
): Promise<CreatedInvitation> {
  const createdAt = deps.clock.now();
  let shown: { row: InvitationRow; token: string } | undefined;
  const mark = await changeOnce(
    deps.db,
    ctx,
    async () => {
      const { id, key: token, secretHash } = generateKey("hi");
      const row: InvitationRow = {
        id,
        secretHash,
        key,
        createdBy: ctx.actor.keyId,
        createdAt,
        expiresAt: new Date(createdAt.getTime() + validMinutes * 60_000),
        acceptedAt: null,
        keyId: null,
        revokedAt: null,
      };
      return async (tx) => {
        await insert(tx, row);
        shown = { row, token };
        return markOf(row);
      };
    },
    async (tx, made) => {
      const [id = "", former = ""] = made.split(" ");
      const { key: token, secretHash } = generateKey("hi", id);
      const row = await deps.keys.invitations.replaceSecret(tx, id, { former, secretHash });
      if (row === undefined) throw new AppError("CONFLICT", `The invitation ${id} was revoked meanwhile.`);
      shown = { row, token };
      return markOf(row);
    },
  );
  if (shown === undefined) throw new Error(`The invitation ${mark} is not stored.`);
  const { row, token } = shown;
  deps.log.info({ invitationId: row.id, role: key.role, by: ctx.actor.keyId }, "invitation created");
  // A browser never sends the part of a URL after #, so no server's log has the token.
  return { ...toInvitation(row, createdAt), token, url: `${deps.config.publicUrl}/console/join#${token}` };
}

/** What the request's record keeps: which invitation, and the hash that tells whether it still has this secret. */
const markOf = ({ id, secretHash }: InvitationRow) => `${id} ${secretHash}`;

/** Find the invitation of a token, accepted ones included. @throws AppError NOT_FOUND, the same for an unknown, expired or revoked one */
async function requireValid(deps: KeyDeps, token: string): Promise<InvitationRow> {
  const parts = parseKey(token.trim(), "hi");
  const row = parts && (await deps.keys.invitations.find(parts.id));
  if (parts === undefined || row === undefined || !sameHash(row.secretHash, hashSecret(parts.secret))) {
    throw invalidInvitation();
  }
  if (row.revokedAt !== null || row.expiresAt <= deps.clock.now()) throw invalidInvitation();
  if (!(await deps.keys.verifier.isInForce(row.createdBy))) throw invalidInvitation();
  return row;
}

async function requirePossession(
  deps: KeyDeps,
  row: InvitationRow,
  { token, publicJwk }: Acceptance,
  { proof, method, urls }: ProofOfRequest,
): Promise<void> {
  const shown = { proof, token, method, urls, now: deps.clock.now() };
  const problem = await checkProof(toProofKey(publicJwk), row.id, shown, deps.keys.proofs);
  if (problem === undefined) return;
  const headers = { "WWW-Authenticate": 'DPoP error="invalid_dpop_proof", algs="ES256 EdDSA"' };
  throw new AppError("UNAUTHENTICATED", problem, { headers });
}

function invalidInvitation(): AppError {
  return new AppError(
    "NOT_FOUND",
    "This invitation is not valid: it was used, revoked or has expired. Ask for a new one.",
  );
}

/** Describe the key of the person's next device. */
export function templateOf(row: KeyRow): InvitationRow["key"] {
  const { name, role, supplierDid, implementerDid, scopes, dids, ipRanges, requestsPerMinute, expiresAt } = row;
  return {
    name,
    role,
    ...(supplierDid === null ? {} : { supplierDid }),
    ...(implementerDid === null ? {} : { implementerDid }),
    ...(role === "integrator" ? { scopes: scopes as NonNullable<NewApiKey["scopes"]> } : {}),
    ...(dids === null ? {} : { dids }),
    ...(ipRanges === null ? {} : { ipRanges }),
    ...(requestsPerMinute === null ? {} : { requestsPerMinute }),
    ...(expiresAt === null ? {} : { expiresAt: expiresAt.toISOString() }),
  };
}

function toInvitation(row: InvitationRow, now: Date): Invitation {
  const { key, createdBy, createdAt, expiresAt, acceptedAt, keyId, revokedAt } = row;
  return {
    id: row.id,
    key: {
      name: key.name,
      role: key.role,
      supplierDid: key.supplierDid ?? null,
      implementerDid: key.implementerDid ?? null,
      scopes: key.scopes ?? [],
      dids: key.dids ?? null,
      ipRanges: key.ipRanges ?? null,
      requestsPerMinute: key.requestsPerMinute ?? null,
      expiresAt: key.expiresAt ?? null,
    },
    state: stateOf(row, now),
    createdBy,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    acceptedAt: acceptedAt?.toISOString() ?? null,
    keyId,
    revokedAt: revokedAt?.toISOString() ?? null,
  };
}

function stateOf({ acceptedAt, revokedAt, expiresAt }: InvitationRow, now: Date): Invitation["state"] {
  if (acceptedAt !== null) return "accepted";
  if (revokedAt !== null) return "revoked";
  return expiresAt <= now ? "expired" : "open";
}
