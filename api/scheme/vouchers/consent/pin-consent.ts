import { readCardId } from "../../../../wire/src/card-code.ts";
import type { RuleDetail } from "../../../platform/errors.ts";
import type { RequestContext } from "../../../platform/http/index.ts";
import type { VoucherDeps } from "../deps.ts";
import type { Consent } from "../schemas.ts";
import type { VoucherFacts } from "../voucher-ledger.ts";

/**
 * Check the card and the PIN of a consent, if it has them. A wrong PIN counts as a try of the caller for the voucher's household.
 * @returns the broken rules
 */
export async function pinProblems(
  deps: VoucherDeps,
  ctx: RequestContext,
  { household }: VoucherFacts,
  consent: Consent | undefined,
): Promise<RuleDetail[]> {
  if (consent?.type !== "pin" || consent.pin === undefined) return [];
  const broken = await cardProblems(deps, household, consent.card);
  return broken.length > 0 ? broken : await deps.pins.check(household, consent.pin, callerOf(ctx));
}

/** Who tries: all keys of a supplier are one caller. */
function callerOf({ actor }: RequestContext): string {
  return actor.role === "supplier" && actor.supplierDid != null ? actor.supplierDid : actor.keyId;
}

/** A card of another household answers like an unknown one, and no PIN is tried then. */
async function cardProblems(
  { cards }: VoucherDeps,
  household: number,
  code: string | undefined,
): Promise<RuleDetail[]> {
  if (code === undefined) return [];
  const cardId = readCardId(code);
  const card = cardId === undefined ? null : await cards.card(cardId);
  if (card?.status === "active" && card.household === household) return [];
  const message = "This is not an active card of the voucher's household.";
  return [{ path: "consent.card", rule: "card-active", message }];
}
