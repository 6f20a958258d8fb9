import { requireRoleOrScope } from "../../platform/http/authorize.ts";
import type { ServiceContext } from "../../platform/http/context.ts";
import type { Prepare, PreparedTransaction } from "../../platform/transactions/schemas.ts";
import { unsignedTransaction } from "../../platform/transactions/unsigned.ts";
import { CONVERT_SCOPE, implementerDidOf, requireImplementer } from "./access.ts";
import { requireRequested } from "./answer-conversion.ts";
import { checkConversion } from "./conversion-rules.ts";
import { findConversion } from "./conversions.ts";

/**
 * The implementer's own request of a conversion, for CARBON that it has approved.
 * @throws AppError as the conversion itself would, CONFLICT without the approval
 */
export async function prepareItmoConvert(
  ctx: ServiceContext,
  { action: _, ...terms }: Prepare<"itmo-convert">,
): Promise<PreparedTransaction> {
  requireImplementer(ctx.actor, terms.implementerDid);
  const { order, account } = await checkConversion(ctx, terms);
  const call = { from: account, contract: "itmo", functionName: "requestConversion", args: [order] } as const;
  return unsignedTransaction(ctx.deps.chain, call);
}

/** Takes back the CARBON of a request that nobody answered, to the implementer's account in force. @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT */
export async function prepareItmoReclaim(
  ctx: ServiceContext,
  { conversionId }: Prepare<"itmo-reclaim">,
): Promise<PreparedTransaction> {
  requireRoleOrScope(ctx.actor, CONVERT_SCOPE, "implementer");
  const known = await findConversion(ctx, conversionId);
  requireImplementer(ctx.actor, await implementerDidOf(ctx, known.row.implementer));
  requireRequested(known);
  const from = await ctx.deps.registry.implementers.accountOf(known.row.implementer);
  const args = [known.row.conversion];
  return unsignedTransaction(ctx.deps.chain, { from, contract: "itmo", functionName: "reclaim", args });
}
