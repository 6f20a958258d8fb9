import { errorOfRevert, once, submitCall } from "../../../platform/chain/index.ts";
import { type RequestContext, requireRoleOrScope } from "../../../platform/http/index.ts";
import { CONVERT_SCOPE, implementerDidOf, requireImplementer } from "../access.ts";
import { findConversion, getConversion } from "../conversions/conversions.ts";
import type { Conversion } from "../conversions/schemas.ts";
import type { ItmoDeps } from "../deps.ts";
import { readState } from "./buffer.ts";

/**
 * Have the buffer cancel what it holds for certificates whose revocation is final.
 * @throws AppError FORBIDDEN, NOT_FOUND, CONFLICT (nothing held, or nothing due)
 */
export async function cancelBuffered(deps: ItmoDeps, ctx: RequestContext, conversionId: string): Promise<Conversion> {
  return settle(deps, ctx, conversionId, "cancelRevoked");
}

/**
 * Have the buffer give back what it holds of a conversion. What is due for revoked certificates is cancelled first.
 * @throws AppError FORBIDDEN, NOT_FOUND, CONFLICT (nothing held, too early, or certificates to wait for)
 */
export async function releaseBuffered(deps: ItmoDeps, ctx: RequestContext, conversionId: string): Promise<Conversion> {
  return settle(deps, ctx, conversionId, "release");
}

async function settle(
  deps: ItmoDeps,
  ctx: RequestContext,
  conversionId: string,
  functionName: Settlement,
): Promise<Conversion> {
  const conversion = await requireParty(deps, ctx, conversionId);
  await once(deps, ctx, async () => {
    await requireDue(deps, conversion, functionName);
    return submitCall(deps, ctx, {
      sender: "operator",
      contract: "invalidationBuffer",
      functionName,
      args: [conversion],
      purpose: functionName === "release" ? "itmo.release" : "itmo.cancel-buffered",
    });
  });
  return getConversion(deps, conversionId);
}

export type Settlement = "cancelRevoked" | "release";

/**
 * Check that the caller may settle what is held of a conversion now. @returns the conversion's number
 * @throws AppError FORBIDDEN, NOT_FOUND, CONFLICT (nothing held or due, too early, or certificates to wait for)
 */
export async function requireSettleable(
  deps: ItmoDeps,
  ctx: RequestContext,
  conversionId: string,
  functionName: Settlement,
): Promise<number> {
  const conversion = await requireParty(deps, ctx, conversionId);
  await requireDue(deps, conversion, functionName);
  return conversion;
}

/** On chain anyone may. Here: the regulator, and the conversion's implementer. */
async function requireParty(deps: ItmoDeps, ctx: RequestContext, conversionId: string): Promise<number> {
  requireRoleOrScope(ctx.actor, CONVERT_SCOPE, "implementer", "regulator");
  const { row } = await findConversion(deps, conversionId);
  if (ctx.actor.role !== "regulator") requireImplementer(ctx.actor, await implementerDidOf(deps, row.implementer));
  return row.conversion;
}

async function requireDue(deps: ItmoDeps, conversion: number, functionName: Settlement): Promise<void> {
  const state = await readState(deps, conversion);
  const refuse = (name: string, ...args: unknown[]) => errorOfRevert({ name, args: [conversion, ...args] });
  if (state.held === 0n) throw refuse("NothingHeld");
  if (functionName === "cancelRevoked" && state.due === 0n) throw refuse("NothingToCancel");
  if (functionName === "release") {
    if (state.status === "held") throw refuse("StillHeld", state.heldUntil);
    if (state.status === "waiting" && state.due < state.held) throw refuse("LotInQuestion", state.waitingFor[0]);
  }
}
