import { randomInt } from "node:crypto";
import { AppError, refuseBrokenRules } from "../../platform/errors.ts";
import { decodeCursor, type RequestContext, requireOwnImplementer, toPage } from "../../platform/http/index.ts";
import { changeOnce } from "../../platform/idempotency/index.ts";
import { newId } from "../../platform/new-id.ts";
import { maySeeCards, READ_SCOPE, visibleImplementers, WRITE_SCOPE } from "./access.ts";
import type { CardDeps } from "./deps.ts";
import type { BatchResponse, NewBatch } from "./schemas.ts";
import type { CardBatchRow } from "./tables.ts";

const CARD_IDS = 10 ** 11;
/** Cards that one statement inserts. */
const CARDS_AT_ONCE = 10_000;

/**
 * Make a batch of cards that belong to nobody yet.
 * @throws AppError FORBIDDEN, RULE_VIOLATION for an implementer that is not registered or not named
 */
export async function makeBatch(deps: CardDeps, ctx: RequestContext, input: NewBatch): Promise<BatchResponse> {
  const implementerDid = input.implementerDid ?? ctx.actor.implementerDid;
  if (implementerDid !== undefined) requireOwnImplementer(ctx.actor, implementerDid, WRITE_SCOPE);
  const isKnown = implementerDid !== undefined && (await deps.registry.implementers.byDid(implementerDid)) !== null;
  if (!isKnown || implementerDid === undefined) {
    const message =
      implementerDid === undefined
        ? "Name the implementer whose cards these are."
        : `Implementer ${implementerDid} is not registered.`;
    refuseBrokenRules([{ path: "implementerDid", rule: "implementer-registered", message }]);
    throw new Error(message);
  }
  const createdAt = deps.clock.now();
  const { count, language } = input;
  const row: CardBatchRow = { batchId: newId(createdAt), implementerDid, language, count, createdAt };
  const batchId = await changeOnce(deps.db, ctx, async () => async (tx) => {
    await deps.cards.addBatch(tx, row);
    const card = {
      batchId: row.batchId,
      status: "issued",
      household: null,
      replacedBy: null,
      changedAt: createdAt,
    } as const;
    for (let made = 0; made < count; ) {
      const ids = randomIds(Math.min(CARDS_AT_ONCE, count - made));
      made += await deps.cards.addCards(tx, ids, { ...card, place: made + 1 });
    }
    return row.batchId;
  });
  return getBatch(deps, ctx, batchId);
}

/** Different random ids of cards. */
function randomIds(count: number): string[] {
  const ids = new Set<string>();
  while (ids.size < count) ids.add(String(randomInt(CARD_IDS)).padStart(11, "0"));
  return [...ids];
}

/** Read a batch. @throws AppError NOT_FOUND, also for one that the actor may not see */
export async function getBatch(deps: CardDeps, ctx: RequestContext, batchId: string): Promise<BatchResponse> {
  const row = await deps.cards.batch(batchId);
  if (row === null || !maySeeCards(ctx, row.implementerDid, [READ_SCOPE, WRITE_SCOPE])) {
    throw new AppError("NOT_FOUND", `There is no batch of cards ${batchId}.`);
  }
  return serialize(row);
}

/** List the batches that the actor may see, oldest first. */
export async function listBatches(
  deps: CardDeps,
  ctx: RequestContext,
  query: { limit: number; cursor?: string | undefined },
): Promise<{ items: BatchResponse[]; nextCursor: string | null }> {
  const after = String(decodeCursor(query.cursor)?.[0] ?? "");
  const rows = await deps.cards.batchesAfter(after, query.limit + 1, visibleImplementers(ctx));
  const { items, nextCursor } = toPage(rows, query.limit, (row) => [row.batchId]);
  return { items: items.map(serialize), nextCursor };
}

function serialize({ batchId, implementerDid, language, count, createdAt }: CardBatchRow): BatchResponse {
  return { batchId, implementerDid, language, count, createdAt: createdAt.toISOString() };
}
