import { AppError } from "../../../api/platform/errors.ts";
import { type RequestContext, requireRole } from "../../../api/platform/http/index.ts";
import type { OdkDeps } from "../deps.ts";
import type { CollectorRow } from "../tables.ts";
import { changedMeanwhile, type Issue, issueOnce } from "./issue-once.ts";
import type { CreatedCollector } from "./schemas.ts";
import { makeSecrets, showSecrets } from "./secrets.ts";
import { keyFor, toCollector } from "./service.ts";

/**
 * Make a collector's link and password again. The former ones end; records that the phone has not sent are sent with the new ones.
 * @throws AppError FORBIDDEN unless the caller may create keys; NOT_FOUND; CONFLICT for a collector that was revoked, or whose API
 *   key was revoked or has expired
 */
export async function reissueCollector(deps: OdkDeps, ctx: RequestContext, id: string): Promise<CreatedCollector> {
  requireRole(ctx.actor, "admin");
  const { host } = deps;
  const { row, secrets } = await issueOnce(deps, ctx, () => prepareReissue(deps, ctx, id));
  host.log.info({ collectorId: id, keyId: row.keyId, by: ctx.actor.keyId }, "ODK collector reissued");
  return { ...toCollector(row), ...(await showSecrets(host, row.name, secrets)) };
}

async function prepareReissue(deps: OdkDeps, ctx: RequestContext, id: string): Promise<Issue> {
  const { host, collectors } = deps;
  const row = await collectors.find(id);
  if (row === undefined) throw new AppError("NOT_FOUND", `There is no collector ${id}.`);
  if (row.revokedAt !== null) throw new AppError("CONFLICT", "The collector was revoked. Make a new one.");
  const apiKey = await openKey(deps, ctx, row);
  const secrets = makeSecrets(host, apiKey.key, id);
  return {
    secrets,
    formerKeyId: apiKey.id === row.keyId ? undefined : row.keyId,
    store: async (tx) => {
      const changes = { ...secrets.stored, keyId: apiKey.id };
      if (!(await collectors.replaceSecrets(tx, id, row.secretHash, changes))) throw changedMeanwhile();
      await apiKey.store?.(tx);
    },
  };
}

/**
 * Open the collector's API key, or make one like it: only the link can open that of a collector without a password.
 * @throws AppError CONFLICT when it was revoked or has expired
 */
async function openKey(deps: OdkDeps, ctx: RequestContext, row: CollectorRow) {
  const { host } = deps;
  const known = await host.clientAs(ctx).get("/v1/keys/{id}", { path: { id: row.keyId } });
  const hasExpired = known.expiresAt !== null && Date.parse(known.expiresAt) <= host.clock.now().getTime();
  if (known.revokedAt !== null || hasExpired) {
    const message = "The collector's API key was revoked or has expired. Make a new collector.";
    throw new AppError("CONFLICT", message);
  }
  if (row.keyForPassword !== null) {
    return { id: row.keyId, key: host.secretBox.open(row.keyForPassword), store: undefined };
  }
  return await host.keys.prepare(ctx, keyFor({ ...row, expiresAt: known.expiresAt ?? undefined }));
}
