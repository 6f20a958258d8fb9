import { readCardId } from "../../../wire/src/card-code.ts";
import type { RuleDetail } from "../../platform/errors.ts";
import type { VoucherDeps } from "./deps.ts";
import type { Consent } from "./schemas.ts";
import type { VoucherFacts } from "./voucher-ledger.ts";

/**
 * Check the card and the PIN of a consent, if it has them. A wrong PIN counts as a try of the voucher's household.
 * @returns the broken rules
 */
export async function pinProblems(
  deps: VoucherDeps,
  { household }: VoucherFacts,
  consent: Consent | undefined,
): Promise<RuleDetail[]> {
  if (consent?.type !== "pin" || consent.pin === undefined) return [];
  return problemsOf(deps, household, consent.card, consent.pin);
}

/** A card of another household answers like an unknown one, and no PIN is tried then. */
async function problemsOf(
  { cards, pins }: VoucherDeps,
  household: number,
  code: string | undefined,
  pin: string,
): Promise<RuleDetail[]> {
  if (code !== undefined) {
    const cardId = readCardId(code);
    const card = cardId === undefined ? null : await cards.card(cardId);
    if (card?.status !== "active" || card.household !== household) {
      const message = "This is not an active card of the voucher's household.";
      return [{ path: "consent.card", rule: "card-active", message }];
    }
  }
  return pins.check(household, pin);
}
