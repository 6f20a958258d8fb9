import { type RequestContext, requireRole } from "../../../platform/http/index.ts";
import type { VoucherDeps } from "../deps.ts";
import type { ActorFigures } from "../schemas.ts";
import { settleOrders } from "./settle-orders.ts";
import { countByActor } from "./store.ts";

/** Count redemptions by who acted for the household and how it agreed. @throws AppError FORBIDDEN */
export async function readActorFigures(deps: VoucherDeps, { actor }: RequestContext): Promise<ActorFigures> {
  requireRole(actor, "evaluator", "regulator");
  await settleOrders(deps);
  return { items: await countByActor(deps.db) };
}
