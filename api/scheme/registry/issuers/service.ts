import { isoTime, once, submitCall } from "../../../platform/chain/index.ts";
import { AppError } from "../../../platform/errors.ts";
import { decodeCursor, type RequestContext, toPage } from "../../../platform/http/index.ts";
import { requireMayWrite } from "../access.ts";
import type { RegistryDeps } from "../deps.ts";
import { notRegistered, statusConflict } from "../errors.ts";
import type { Issuer, NewIssuer } from "./schemas.ts";
import type { IssuerRow } from "./tables.ts";

export const WRITE_SCOPE = "issuers:write";

/**
 * Trust an issuer for credential types. While its period runs, another call changes the period and adds types. After
 * its end, another call starts a new period, now at the earliest, for these types only.
 * @throws AppError FORBIDDEN, RULE_VIOLATION
 */
export async function trustIssuer(deps: RegistryDeps, ctx: RequestContext, input: NewIssuer): Promise<Issuer> {
  requireMayWrite(ctx.actor, { scope: WRITE_SCOPE, roles: ["regulator"], did: input.did });
  const validFrom = secondsOf(input.validFrom);
  const validUntil = secondsOf(input.validUntil);
  if (validUntil !== 0n && validUntil < validFrom) {
    const message = "validUntil must not be before validFrom.";
    throw new AppError("RULE_VIOLATION", message, {
      details: [{ path: "validUntil", rule: "dates-ordered", message }],
    });
  }
  await submitCall(deps, ctx, {
    sender: "registrar",
    contract: "participants",
    functionName: "trustIssuer",
    args: [input.did, input.credentialTypes, validFrom, validUntil],
    purpose: "issuer.trust",
  });
  return getIssuer(deps, input.did);
}

/** Read an issuer. @throws AppError NOT_FOUND when the issuer has never been trusted */
export async function getIssuer(deps: RegistryDeps, did: string): Promise<Issuer> {
  return show(await known(deps, did), await deps.chain.now());
}

export async function listIssuers(
  deps: RegistryDeps,
  query: { limit: number; cursor?: string | undefined },
): Promise<{ items: Issuer[]; nextCursor: string | null }> {
  await deps.registry.issuers.catchUp();
  const after = String(decodeCursor(query.cursor)?.[0] ?? "");
  const rows = await deps.registry.stores.issuers.listAfter(after, query.limit + 1);
  const now = await deps.chain.now();
  const { items, nextCursor } = toPage(rows, query.limit, (row) => [row.did]);
  return { items: items.map((row) => show(row, now)), nextCursor };
}

/** End the trust in an issuer now. @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT when it has ended already */
export async function endIssuer(deps: RegistryDeps, ctx: RequestContext, did: string): Promise<Issuer> {
  const row = await known(deps, did);
  requireMayWrite(ctx.actor, { scope: WRITE_SCOPE, roles: ["regulator"], did });
  await once(deps, ctx, async () => {
    if (statusOf(row, await deps.chain.now()) === "ended") throw statusConflict("The trust has ended already.");
    return submitCall(deps, ctx, {
      sender: "registrar",
      contract: "participants",
      functionName: "endIssuerTrust",
      args: [did],
      purpose: "issuer.end",
    });
  });
  return getIssuer(deps, did);
}

async function known(deps: RegistryDeps, did: string): Promise<IssuerRow> {
  const row = await deps.registry.issuers.byDid(did);
  if (!row) throw notRegistered("Issuer", did);
  return row;
}

function statusOf(row: IssuerRow, now: bigint): Issuer["status"] {
  if (row.validUntil !== 0n && now > row.validUntil) return "ended";
  return now < row.validFrom ? "not-yet-trusted" : "trusted";
}

function show(row: IssuerRow, now: bigint): Issuer {
  return {
    did: row.did,
    status: statusOf(row, now),
    credentialTypes: row.credentialTypes,
    validFrom: isoOf(row.validFrom),
    validUntil: isoOf(row.validUntil),
    updatedAt: row.updatedAt.toISOString(),
    transactionHash: row.transactionHash,
  };
}

/** Convert to seconds; 0 means open. A time before 1970 counts as open. */
function secondsOf(moment: string | undefined): bigint {
  return moment === undefined ? 0n : BigInt(Math.max(0, Math.floor(Date.parse(moment) / 1000)));
}

function isoOf(seconds: bigint): string | null {
  return seconds === 0n ? null : isoTime(seconds);
}
