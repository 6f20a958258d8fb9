import type { RequestContext, Scope } from "../../platform/http/index.ts";
import type { CardWithBatch } from "./store.ts";

export const WRITE_SCOPE = "cards:write";
export const READ_SCOPE = "cards:read";

/** The scope with which an integrator reads: a key that may write may read too. */
export function readScopeOf({ actor }: RequestContext): Scope {
  return actor.scopes.includes(READ_SCOPE) ? READ_SCOPE : WRITE_SCOPE;
}

/** DIDs of the implementers whose cards and codes the actor may see; undefined for all. */
export function visibleImplementers({ actor }: RequestContext): string[] | undefined {
  if (actor.role === "implementer") return [actor.implementerDid ?? ""];
  if (actor.role === "integrator") return actor.dids ?? undefined;
  return undefined;
}

/** Whether the actor may see the cards of an implementer. `scopes`: an integrator needs one of them. */
export function maySeeCards(ctx: RequestContext, implementerDid: string, scopes: readonly Scope[]): boolean {
  const { role, scopes: own } = ctx.actor;
  if (role === "supplier") return false;
  if (role === "integrator" && !scopes.some((scope) => own.includes(scope))) return false;
  return visibleImplementers(ctx)?.includes(implementerDid) ?? true;
}

/** Whether the actor may see the card. */
export function maySeeCard(ctx: RequestContext, card: CardWithBatch | null): card is CardWithBatch {
  return card !== null && maySeeCards(ctx, card.implementerDid, [READ_SCOPE, WRITE_SCOPE]);
}
