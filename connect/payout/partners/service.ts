import { AppError } from "../../../api/platform/errors.ts";
import { type RequestContext, requireRole, requireRoleOrScope } from "../../../api/platform/http/index.ts";
import { changeOnce } from "../../../api/platform/idempotency/index.ts";
import { generateKey, hashSecret, parseKey, sameHash } from "../../../api/platform/keys/index.ts";
import type { PayoutDeps } from "../deps.ts";
import type { PartnerRow } from "../tables.ts";
import type { CreatedPartner, NewPartner, Partner } from "./schemas.ts";

/**
 * Add a mobile-money partner, with an API key that reads payments.
 * @throws AppError FORBIDDEN unless the caller may create keys
 */
export async function createPartner(deps: PayoutDeps, ctx: RequestContext, input: NewPartner): Promise<CreatedPartner> {
  requireRole(ctx.actor, "admin");
  const { box, host } = deps;
  const partnerId = await changeOnce(host.db, ctx, async () => {
    const made = await host.keys.prepare(ctx, { name: `Payouts: ${input.name}`, scopes: ["payments:read"] });
    const { id, key: token, secretHash } = generateKey("hg");
    const createdAt = host.clock.now();
    const row: PartnerRow = {
      id,
      name: input.name,
      kind: input.api.kind,
      account: input.account,
      currency: input.currency,
      unitDecimals: input.unitDecimals ?? decimalsOf(input.currency),
      sealedSettings: box.seal(JSON.stringify({ ...input.api, privateNetwork: input.api.privateNetwork ?? false })),
      sealedToken: box.seal(token),
      secretHash,
      keyId: made.id,
      sealedKey: box.seal(made.key),
      payFrom: input.payFrom === undefined ? createdAt : new Date(input.payFrom),
      cursor: null,
      createdBy: ctx.actor.keyId,
      createdAt,
      closedAt: null,
    };
    return async (tx) => {
      await made.store(tx);
      await deps.partners.add(row, tx);
      return id;
    };
  });
  // The callback URL's token is stored sealed, because payouts name it. So a repeat shows the same one.
  const row = await deps.partners.find(partnerId);
  if (row === undefined) throw new Error(`The payout partner ${partnerId} is not stored.`);
  await deps.orders.lookAgain();
  deps.nudge();
  return { ...serialize(row), callbackUrl: deps.apis.callbackUrl(row) };
}

/** List all partners, oldest first. @throws AppError FORBIDDEN */
export async function listPartners(deps: PayoutDeps, ctx: RequestContext): Promise<{ items: Partner[] }> {
  requireRoleOrScope(ctx.actor, "payouts:read", "supplier", "regulator");
  return { items: (await deps.partners.all()).map(serialize) };
}

/** Let a partner begin no more payouts. Those that began are followed to their end. @throws AppError FORBIDDEN; NOT_FOUND */
export async function closePartner(deps: PayoutDeps, ctx: RequestContext, id: string): Promise<Partner> {
  requireRole(ctx.actor, "admin");
  const row = await deps.partners.close(id, deps.host.clock.now());
  if (row === undefined) throw new AppError("NOT_FOUND", `There is no payout partner ${id}.`);
  await deps.host.keys.revoke(ctx, row.keyId);
  return serialize(row);
}

/** Find the partner of the token in a callback's URL; undefined when it is unknown. */
export async function partnerOfToken(deps: PayoutDeps, token: string): Promise<PartnerRow | undefined> {
  const parts = parseKey(token, "hg");
  const row = parts && (await deps.partners.find(parts.id));
  if (parts === undefined || row === undefined) return undefined;
  return sameHash(row.secretHash, hashSecret(parts.secret)) ? row : undefined;
}

function decimalsOf(currency: string): number {
  return new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

function serialize(row: PartnerRow): Partner {
  const { id, name, kind, account, currency, unitDecimals, payFrom, createdAt, closedAt } = row;
  return {
    id,
    name,
    kind,
    account,
    currency,
    unitDecimals,
    payFrom: payFrom.toISOString(),
    createdAt: createdAt.toISOString(),
    closedAt: closedAt?.toISOString() ?? null,
  };
}
