import { isUniqueViolation, type Transaction } from "../../platform/db/index.ts";
import { AppError, type RuleDetail } from "../../platform/errors.ts";
import { actedBy, decodeCursor, foreignCursor, type RequestContext, toPage } from "../../platform/http/index.ts";
import { changeOnce } from "../../platform/idempotency/index.ts";
import { requireVisibleHousehold, ruleConflict } from "../registry/index.ts";
import { maySeeCard, readScopeOf, visibleImplementers, WRITE_SCOPE } from "./access.ts";
import type { CardDeps } from "./deps.ts";
import type { CardQuery, CardResponse, CardWithChanges, ReplaceRequest } from "./schemas.ts";
import type { CardWithBatch } from "./store.ts";
import type { CardStatus } from "./tables.ts";

/** Statuses that each change starts from. */
const changeableFrom = {
  link: ["issued"],
  activate: ["linked"],
  block: ["linked", "active"],
  replace: ["linked", "active", "blocked"],
} as const satisfies Record<string, readonly CardStatus[]>;

const oneCard: RuleDetail = { rule: "one-card", message: "The household has a card: replace that one." };

/**
 * Link an issued card to a household that has none.
 * @throws AppError NOT_FOUND (card or household, also those that the actor may not see), CONFLICT naming every broken rule
 */
export async function linkCard(
  deps: CardDeps,
  ctx: RequestContext,
  cardId: string,
  householdDid: string,
): Promise<CardResponse> {
  requireSeen(ctx, cardId, await deps.cards.card(cardId));
  const { household } = await requireVisibleHousehold(deps, ctx, householdDid, WRITE_SCOPE);
  try {
    return await inTransaction(deps, ctx, cardId, async (tx, card) => {
      const broken = statusProblems(card, "link");
      if ((await deps.cards.current(household, tx)) !== null) broken.push(oneCard);
      refuseConflicts(broken);
      await deps.cards.link(tx, cardId, household, changeOf(deps, ctx, cardId, "linked"));
    });
  } catch (error) {
    // Another request linked another card to the household meanwhile.
    if (isUniqueViolation(error)) refuseConflicts([oneCard]);
    throw error;
  }
}

/** Record that the household has its card in hand. @throws AppError NOT_FOUND, CONFLICT */
export function activateCard(deps: CardDeps, ctx: RequestContext, cardId: string): Promise<CardResponse> {
  return inTransaction(deps, ctx, cardId, async (tx, card) => {
    refuseConflicts(statusProblems(card, "activate"));
    await deps.cards.change(tx, changeOf(deps, ctx, cardId, "active"));
  });
}

/** Block a card that is lost or stolen. @throws AppError NOT_FOUND, CONFLICT */
export function blockCard(deps: CardDeps, ctx: RequestContext, cardId: string, reason: string): Promise<CardResponse> {
  return inTransaction(deps, ctx, cardId, async (tx, card) => {
    refuseConflicts(statusProblems(card, "block"));
    await deps.cards.change(tx, changeOf(deps, ctx, cardId, "blocked", reason));
  });
}

/**
 * Give the household another card; the old one ends in the same transaction. Vouchers belong to the household, so they
 * stay as they are.
 * @returns the new card
 * @throws AppError NOT_FOUND (either card), CONFLICT naming every broken rule
 */
export async function replaceCard(
  deps: CardDeps,
  ctx: RequestContext,
  cardId: string,
  { newCardId, reason }: ReplaceRequest,
): Promise<CardResponse> {
  requireSeen(ctx, newCardId, await deps.cards.card(newCardId));
  await inTransaction(deps, ctx, cardId, async (tx, card) => {
    const next = await deps.cards.card(newCardId, tx, true);
    const broken = [...statusProblems(card, "replace"), ...statusProblems(next, "link", "newCardId")];
    if (next?.implementerDid !== card.implementerDid) {
      const message = "The new card belongs to another implementer.";
      broken.push({ path: "newCardId", rule: "same-implementer", message });
    }
    refuseConflicts(broken);
    await deps.cards.change(tx, changeOf(deps, ctx, cardId, "replaced", reason), newCardId);
    await deps.cards.link(tx, newCardId, card.household ?? 0, changeOf(deps, ctx, newCardId, "linked", reason));
  });
  return getCard(deps, ctx, newCardId);
}

/** Read a card with its changes. @throws AppError NOT_FOUND, also for one that the actor may not see */
export async function getCard(deps: CardDeps, ctx: RequestContext, cardId: string): Promise<CardWithChanges> {
  const card = requireSeen(ctx, cardId, await deps.cards.card(cardId));
  const [shown, changes] = await Promise.all([serialize(deps, card), deps.cards.changesOf(cardId)]);
  return {
    ...shown,
    changes: changes.map(({ status, reason, role, caller, channel, at }) => ({
      status,
      reason,
      role,
      caller,
      channel,
      at: at.toISOString(),
    })),
  };
}

/** List the cards that the actor may see, by batch and place. @throws AppError NOT_FOUND for a household that it may not see */
export async function listCards(
  deps: CardDeps,
  ctx: RequestContext,
  { batchId, status, householdDid, limit, cursor }: CardQuery,
): Promise<{ items: CardResponse[]; nextCursor: string | null }> {
  const [afterBatch = "", afterPlace = 0] = decodeCursor(cursor, 2) ?? [];
  if (typeof afterPlace !== "number") throw foreignCursor();
  const found =
    householdDid === undefined ? undefined : await requireVisibleHousehold(deps, ctx, householdDid, readScopeOf(ctx));
  const filter = { batchId, status, household: found?.household, implementerDids: visibleImplementers(ctx) };
  const rows = await deps.cards.listAfter([String(afterBatch), afterPlace], limit + 1, filter);
  const { items, nextCursor } = toPage(rows, limit, (row) => [row.batchId, row.place]);
  return { items: await Promise.all(items.map((row) => serialize(deps, row))), nextCursor };
}

/** Change a card in one transaction that holds its row, once for a request with an Idempotency-Key. */
async function inTransaction(
  deps: CardDeps,
  ctx: RequestContext,
  cardId: string,
  change: (tx: Transaction, card: CardWithBatch) => Promise<void>,
): Promise<CardResponse> {
  await changeOnce(deps.db, ctx, async () => async (tx) => {
    const card = await deps.cards.card(cardId, tx, true);
    await change(tx, requireSeen(ctx, cardId, card));
    return cardId;
  });
  return serialize(deps, requireSeen(ctx, cardId, await deps.cards.card(cardId)));
}

function requireSeen(ctx: RequestContext, cardId: string, card: CardWithBatch | null): CardWithBatch {
  if (!maySeeCard(ctx, card)) throw new AppError("NOT_FOUND", `There is no card ${cardId}.`);
  return card;
}

function statusProblems(card: CardWithBatch | null, change: keyof typeof changeableFrom, path?: string): RuleDetail[] {
  const from: readonly CardStatus[] = changeableFrom[change];
  if (card !== null && from.includes(card.status)) return [];
  const message = `The card is ${card?.status}; only one that is ${from.join(" or ")} can be changed so.`;
  return [{ ...(path === undefined ? {} : { path }), rule: "status-allows", message }];
}

function refuseConflicts(details: RuleDetail[]): void {
  const [first] = details;
  if (first === undefined) return;
  if (details.length === 1) throw ruleConflict(first.rule, first.message);
  throw new AppError("CONFLICT", "The card's state does not allow this.", { details });
}

function changeOf(deps: CardDeps, { actor }: RequestContext, cardId: string, status: CardStatus, reason?: string) {
  return { cardId, status, reason: reason ?? null, ...actedBy(actor), at: deps.clock.now() };
}

async function serialize({ registry }: CardDeps, row: CardWithBatch): Promise<CardResponse> {
  const household = row.household === null ? null : await registry.households.byIndex(row.household);
  return {
    cardId: row.cardId,
    batchId: row.batchId,
    place: row.place,
    status: row.status,
    householdDid: household?.did ?? null,
    replacedBy: row.replacedBy,
    changedAt: row.changedAt.toISOString(),
  };
}
