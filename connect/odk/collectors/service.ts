import { AppError, refuseBrokenRules } from "../../../api/platform/errors.ts";
import { decodeTimeCursor, type RequestContext, requireRole, toPage } from "../../../api/platform/http/index.ts";
import { hashSecret, parseKey, sameHash } from "../../../api/platform/keys/index.ts";
import type { HearthClient } from "../../../wire/src/index.ts";
import { requireCampaign } from "../../records/forms/catalogue.ts";
import { missingFor, scopesOf } from "../../records/forms/needs.ts";
import { trialClient } from "../../records/trial-client.ts";
import type { RoomKey } from "../../room.ts";
import type { OdkDeps } from "../deps.ts";
import type { CollectorRow } from "../tables.ts";
import { issueOnce } from "./issue-once.ts";
import type { Collector, CreatedCollector, NewCollector } from "./schemas.ts";
import { boxOf, makeSecrets, showSecrets } from "./secrets.ts";

/** A collector whose token was shown, and a client of the API with its key. */
export type SignedIn = { collector: CollectorRow; client: HearthClient };

/**
 * Make a person's link and password for ODK Collect or Enketo, with an API key that can do what the person's forms need. Only this
 * response holds them.
 * @throws AppError FORBIDDEN unless the caller may create keys; RULE_VIOLATION when a form's campaign, plan or supplier is missing;
 *   NOT_FOUND for an unknown campaign
 */
export async function createCollector(
  deps: OdkDeps,
  ctx: RequestContext,
  input: NewCollector,
): Promise<CreatedCollector> {
  requireRole(ctx.actor, "admin");
  refuseBrokenRules(missingFor(input.forms, input), "The collector's forms lack something.");
  const { row, secrets } = await issueOnce(deps, ctx, async () => {
    const { name, implementerDid } = input;
    const supplierDid = input.supplierDid ?? null;
    const key = keyFor({ ...input, supplierDid });
    await requireCampaign(trialClient(deps.host, ctx, key), { ...input, campaignId: input.campaignId ?? null });
    const apiKey = await deps.host.keys.prepare(ctx, key);
    const secrets = makeSecrets(deps.host, apiKey.key);
    const row: CollectorRow = {
      ...secrets.stored,
      id: secrets.id,
      keyId: apiKey.id,
      name,
      collectorDid: input.collectorDid,
      implementerDid,
      forms: [...new Set(input.forms)],
      campaignId: input.campaignId ?? null,
      planId: input.planId ?? null,
      supplierDid,
      createdBy: ctx.actor.keyId,
      createdAt: deps.host.clock.now(),
      revokedAt: null,
    };
    return {
      secrets,
      store: async (tx) => {
        await apiKey.store(tx);
        await deps.collectors.insert(tx, row);
      },
    };
  });
  deps.host.log.info({ collectorId: row.id, keyId: row.keyId, by: ctx.actor.keyId }, "ODK collector created");
  return { ...toCollector(row), ...(await showSecrets(deps.host, row.name, secrets)) };
}

type KeyNeeds = Pick<CollectorRow, "name" | "forms" | "implementerDid" | "supplierDid"> & {
  expiresAt?: string | undefined;
};

/** The API key that a collector needs. */
export function keyFor({ name, forms, implementerDid, supplierDid, expiresAt }: KeyNeeds): RoomKey {
  return {
    name: `ODK: ${name}`,
    scopes: scopesOf(forms),
    dids: supplierDid === null ? [implementerDid] : [implementerDid, supplierDid],
    expiresAt,
  };
}

/** List one page of collectors, oldest first. @throws AppError FORBIDDEN unless the caller is an admin */
export async function listCollectors(
  deps: OdkDeps,
  ctx: RequestContext,
  query: { limit: number; cursor?: string | undefined },
) {
  requireRole(ctx.actor, "admin");
  const position = decodeTimeCursor(query.cursor);
  const after = position && { createdAt: position.at, id: position.id };
  const rows = await deps.collectors.list(query.limit, after);
  const { items, nextCursor } = toPage(rows, query.limit, (row) => [row.createdAt.getTime(), row.id]);
  return { items: items.map(toCollector), nextCursor };
}

/** End a collector's link, password and API key, all or none. @throws AppError FORBIDDEN; NOT_FOUND */
export async function revokeCollector(deps: OdkDeps, ctx: RequestContext, id: string): Promise<Collector> {
  requireRole(ctx.actor, "admin");
  const { row, forget } = await deps.host.db.transaction(async (tx) => {
    // Read within the transaction: a new link may have brought another API key.
    const revoked = await deps.collectors.revoke(tx, id, deps.host.clock.now());
    if (revoked === undefined) throw new AppError("NOT_FOUND", `There is no collector ${id}.`);
    return { row: revoked, forget: await deps.host.keys.takeBack(tx, revoked.keyId) };
  });
  forget();
  deps.host.log.info({ collectorId: id, by: ctx.actor.keyId }, "ODK collector revoked");
  return toCollector(row);
}

/** Find the collector of a token; undefined for a token that is unknown or revoked. */
export async function signIn(deps: OdkDeps, token: string): Promise<SignedIn | undefined> {
  const parts = parseKey(token, "ho");
  const collector = parts && (await deps.collectors.find(parts.id));
  if (parts === undefined || collector === undefined || collector.revokedAt !== null) return undefined;
  if (!sameHash(collector.secretHash, hashSecret(parts.secret))) return undefined;
  return { collector, client: deps.host.client(boxOf(token).open(collector.sealedKey)) };
}

/** Describe a collector, without its secrets. */
export function toCollector(collector: CollectorRow): Collector {
  const {
    secretHash: _hash,
    sealedKey: _key,
    sealedHa1: _ha1,
    keyForPassword: _copy,
    createdAt,
    revokedAt,
    ...row
  } = collector;
  return { ...row, createdAt: createdAt.toISOString(), revokedAt: revokedAt?.toISOString() ?? null };
}
