import { readCardCode } from "../../../wire/src/card-code.ts";
import { AppError, type RuleDetail } from "../../platform/errors.ts";
import type { VoucherDeps } from "./deps.ts";
import { type RedemptionOrder, refusalOf } from "./redemption-collector.ts";
import type { Consent } from "./schemas.ts";
import type { VoucherFacts } from "./voucher-ledger.ts";

/**
 * Check the card and the PIN of a consent, if it has them. A wrong PIN counts as a try of the voucher's household.
 * @throws AppError RULE_VIOLATION naming these rules and every one that the ledger would refuse the order for, or the
 * ledger's refusal of the caller
 */
export async function requirePin(
  deps: VoucherDeps,
  facts: VoucherFacts,
  consent: Consent | undefined,
  order: RedemptionOrder,
): Promise<void> {
  if (consent?.type !== "pin" || consent.pin === undefined) return;
  const broken = await pinProblems(deps, facts.household, consent.card, consent.pin);
  if (broken.length === 0) return;
  const refusal = await refusalOf(deps.chain, order);
  if (refusal !== null && refusal.code !== "RULE_VIOLATION") throw refusal;
  const details = [...(refusal?.details ?? []), ...broken];
  throw new AppError("RULE_VIOLATION", "The request breaks the rules of the scheme.", { details });
}

/** A card of another household answers like an unknown one, and no PIN is tried then. */
async function pinProblems(
  { cards, pins }: VoucherDeps,
  household: number,
  code: string | undefined,
  pin: string,
): Promise<RuleDetail[]> {
  if (code !== undefined) {
    const cardId = readCardCode(code);
    const card = cardId === undefined ? null : await cards.card(cardId);
    if (card?.status !== "active" || card.household !== household) {
      const message = "This is not an active card of the voucher's household.";
      return [{ path: "consent.card", rule: "card-active", message }];
    }
  }
  return pins.check(household, pin);
}
