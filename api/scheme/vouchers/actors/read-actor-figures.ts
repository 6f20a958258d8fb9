import { type RequestContext, requireRole } from "../../../platform/http/index.ts";
import type { VoucherDeps } from "../deps.ts";
import type { ActorFigures } from "../schemas.ts";
import { countByActor } from "./store.ts";

/** Count redemptions by who acted for the household and how it agreed. @throws AppError FORBIDDEN */
export async function readActorFigures({ db }: VoucherDeps, { actor }: RequestContext): Promise<ActorFigures> {
  requireRole(actor, "evaluator", "regulator");
  return { items: await countByActor(db) };
}
