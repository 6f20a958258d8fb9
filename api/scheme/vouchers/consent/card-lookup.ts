import { readCardId } from "../../../../wire/src/card-code.ts";
import { encodeVoucherId } from "../../../../wire/src/ids.ts";
import { dateOf } from "../../../platform/chain/index.ts";
import { AppError } from "../../../platform/errors.ts";
import type { RequestContext } from "../../../platform/http/index.ts";
import { big, int, parameters } from "../../../platform/indexer/index.ts";
import { jsonAmount } from "../../../platform/values/numbers.ts";
import { type CardWithBatch, maySeeCard } from "../../cards/index.ts";
import { seesToRedeem } from "../access.ts";
import type { VoucherDeps } from "../deps.ts";
import type { FoundCard } from "../schemas.ts";
import { dayOfSeconds } from "../serialize-voucher.ts";

/** Most vouchers of a household that are listed. */
const maxVouchers = 50;

/**
 * Find a household's card by its code, with the vouchers that can be redeemed today.
 * @throws AppError NOT_FOUND for a code of no card, of one that belongs to nobody, and of one that the actor may not see
 */
export async function lookUpCard(deps: VoucherDeps, ctx: RequestContext, code: string): Promise<FoundCard> {
  const cardId = readCardId(code);
  const card = cardId === undefined ? null : await deps.cards.card(cardId);
  const view = await viewOf(deps, ctx, card);
  if (card === null || view === "none" || card.household === null) {
    throw new AppError("NOT_FOUND", "This code belongs to no household's card.");
  }
  const household = view === "whole" ? await deps.registry.households.byIndex(card.household) : null;
  return {
    cardId: card.cardId,
    status: card.status,
    ...(household === null ? {} : { householdDid: household.did }),
    offlineLimit: jsonAmount(deps.offlineOrders.limits.perCard),
    vouchers: card.status === "active" ? await openVouchersOf(deps, card.household) : [],
  };
}

/** Suppliers see a card without its household. */
async function viewOf(
  deps: VoucherDeps,
  ctx: RequestContext,
  card: CardWithBatch | null,
): Promise<"whole" | "redeeming" | "none"> {
  if (maySeeCard(ctx, card)) return "whole";
  return (await seesToRedeem(deps, ctx)) ? "redeeming" : "none";
}

/** The household's vouchers that can be redeemed today, from the index, the one that expires first at the beginning. */
export async function openVouchersOf(
  { chain, indexer }: VoucherDeps,
  household: number,
): Promise<FoundCard["vouchers"]> {
  const today = dayOfSeconds(await chain.now());
  const { values, add } = parameters();
  const rows = await indexer.query(
    `select v.id, v.remaining, v.expiry_day from voucher v where v.household = ${add(household)} and v.status = 'active'
     and v.remaining > 0 and v.start_day <= ${add(today)} and v.expiry_day >= ${add(today)}
     order by v.expiry_day, v.id limit ${maxVouchers}`,
    values,
  );
  return rows.map((row) => ({
    id: encodeVoucherId(big(row.id)),
    remainingBalance: jsonAmount(big(row.remaining)),
    expiryDate: dateOf(int(row.expiry_day)),
  }));
}
