import { AppError } from "../../../api/platform/errors.ts";
import { type RequestContext, requireRole } from "../../../api/platform/http/index.ts";
import type { OdkDeps } from "../deps.ts";
import type { CollectorRow } from "../tables.ts";
import type { CreatedCollector } from "./schemas.ts";
import { makeSecrets, showSecrets } from "./secrets.ts";
import { createKey, toCollector } from "./service.ts";

/**
 * Make a collector's link and password again. The former ones end; records that the phone has not sent are sent with the new ones.
 * @throws AppError FORBIDDEN unless the caller may create keys; NOT_FOUND; CONFLICT for a collector that was revoked, or whose API
 *   key was revoked or has expired
 */
export async function reissueCollector(deps: OdkDeps, ctx: RequestContext, id: string): Promise<CreatedCollector> {
  requireRole(ctx.actor, "admin");
  const { host, collectors } = deps;
  const row = await collectors.find(id);
  if (row === undefined) throw new AppError("NOT_FOUND", `There is no collector ${id}.`);
  if (row.revokedAt !== null) throw new AppError("CONFLICT", "The collector was revoked. Make a new one.");
  const apiKey = await openKey(deps, ctx, row);
  const secrets = makeSecrets(host, apiKey.key, id);
  const isReplaced = await collectors.replaceSecrets(id, row.secretHash, { ...secrets.stored, keyId: apiKey.id });
  const ended = isReplaced ? row.keyId : apiKey.id;
  if (apiKey.isNew) await host.keys.revoke(ctx, ended);
  if (!isReplaced) throw new AppError("CONFLICT", "Another request changed the collector meanwhile.");
  host.log.info({ collectorId: id, keyId: apiKey.id, by: ctx.actor.keyId }, "ODK collector reissued");
  return { ...toCollector({ ...row, keyId: apiKey.id }), ...(await showSecrets(host, row.name, secrets)) };
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
    return { id: row.keyId, key: host.secretBox.open(row.keyForPassword), isNew: false };
  }
  const made = await createKey(deps, ctx, { ...row, expiresAt: known.expiresAt ?? undefined });
  return { ...made, isNew: true };
}
