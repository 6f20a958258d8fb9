import { z } from "@hono/zod-openapi";
import { orderNonce } from "../../platform/chain/index.ts";
import { type RequestContext, requireRoleOrScope } from "../../platform/http/index.ts";
import {
  from,
  type PrepareAction,
  type PreparedTransaction,
  prepareAction,
  unsignedTransaction,
} from "../../platform/transactions/index.ts";
import { did, identifier } from "../../platform/values/text.ts";
import { notRegistered } from "../registry/index.ts";
import { CONVERT_SCOPE, implementerDidOf, requireImplementer } from "./access.ts";
import { requireSettleable } from "./buffer/settle.ts";
import { findConversion } from "./conversions/conversions.ts";
import { requireRequested } from "./conversions/decide.ts";
import { checkConversion } from "./conversions/rules.ts";
import { conversionTerms } from "./conversions/terms.ts";
import type { ItmoDeps } from "./deps.ts";

const convert = z.strictObject({ action: z.literal("itmo-convert"), ...conversionTerms });
const reclaim = z.strictObject({ action: z.literal("itmo-reclaim"), conversionId: identifier(64) });
const settle = z.strictObject({
  action: z.enum(["itmo-release-buffered", "itmo-cancel-buffered"]),
  conversionId: identifier(64),
  from,
});
const cancel = z.strictObject({ action: z.literal("itmo-cancel-order"), implementerDid: did, nonce: orderNonce });

/** Define the actions on conversions that accounts sign. */
export function itmoActions(deps: ItmoDeps): PrepareAction[] {
  return [
    prepareAction(convert, (ctx, input) => prepareItmoConvert(deps, ctx, input)),
    prepareAction(reclaim, (ctx, input) => prepareItmoReclaim(deps, ctx, input)),
    prepareAction(settle, (ctx, input) => prepareSettleBuffered(deps, ctx, input)),
    prepareAction(cancel, (ctx, input) => prepareCancel(deps, ctx, input)),
  ];
}

/**
 * Prepare the implementer's own request of a conversion, for CARBON that it has approved.
 * @throws AppError as a relayed conversion does, and CONFLICT without the approval
 */
async function prepareItmoConvert(
  deps: ItmoDeps,
  ctx: RequestContext,
  { action: _, ...terms }: z.infer<typeof convert>,
): Promise<PreparedTransaction> {
  requireImplementer(ctx.actor, terms.implementerDid);
  const { order, account } = await checkConversion(deps, terms);
  const call = { from: account, contract: "itmo", functionName: "requestConversion", args: [order] } as const;
  return unsignedTransaction(deps.chain, call);
}

/**
 * Prepare the withdrawal of an open request; its CARBON returns to the implementer's current account.
 * @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT
 */
async function prepareItmoReclaim(
  deps: ItmoDeps,
  ctx: RequestContext,
  { conversionId }: z.infer<typeof reclaim>,
): Promise<PreparedTransaction> {
  requireRoleOrScope(ctx.actor, CONVERT_SCOPE, "implementer");
  const known = await findConversion(deps, conversionId);
  requireImplementer(ctx.actor, await implementerDidOf(deps, known.row.implementer));
  requireRequested(known);
  const from = await deps.registry.implementers.accountOf(known.row.implementer);
  const args = [known.row.conversion];
  return unsignedTransaction(deps.chain, { from, contract: "itmo", functionName: "reclaim", args });
}

/**
 * Prepare the release or the cancellation of what the buffer holds of a conversion.
 * @throws AppError as the service's own release and cancellation do
 */
async function prepareSettleBuffered(
  deps: ItmoDeps,
  ctx: RequestContext,
  { action, conversionId, from: account }: z.infer<typeof settle>,
): Promise<PreparedTransaction> {
  const functionName = action === "itmo-release-buffered" ? "release" : "cancelRevoked";
  const conversion = await requireSettleable(deps, ctx, conversionId, functionName);
  const call = { from: account, contract: "invalidationBuffer", functionName, args: [conversion] } as const;
  return unsignedTransaction(deps.chain, call);
}

/**
 * Prepare the transaction by which an implementer cancels a signed conversion order, so that it is never carried out.
 * @throws AppError FORBIDDEN, NOT_FOUND, CONFLICT if it was carried out or cancelled already
 */
async function prepareCancel(
  deps: ItmoDeps,
  ctx: RequestContext,
  { implementerDid, nonce }: z.infer<typeof cancel>,
): Promise<PreparedTransaction> {
  requireImplementer(ctx.actor, implementerDid);
  const { implementers } = deps.registry;
  const found = await implementers.byDid(implementerDid);
  if (found === null) throw notRegistered("Implementer", implementerDid);
  const from = await implementers.accountOf(found.implementer);
  const args = [found.implementer, nonce];
  return await unsignedTransaction(deps.chain, { from, contract: "itmo", functionName: "cancelOrder", args });
}
