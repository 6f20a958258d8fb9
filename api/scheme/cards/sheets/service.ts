import type { RequestContext } from "../../../platform/http/index.ts";
import { getBatch } from "../batches.ts";
import type { CardDeps } from "../deps.ts";
import type { SheetQuery } from "../schemas.ts";
import type { CardStore } from "../store.ts";
import { type CardsPerSheet, type PrintedCard, writeSheets } from "./write-sheets.ts";

/** Cards that are read from the database at a time. */
const CARDS_AT_ONCE = 1_000;

/** Write the sheets of a batch. @throws AppError NOT_FOUND, also for a batch that the actor may not see */
export async function sheetsOf(
  deps: CardDeps,
  ctx: RequestContext,
  batchId: string,
  { perSheet, language }: SheetQuery,
): Promise<AsyncGenerator<Uint8Array>> {
  const batch = await getBatch(deps, ctx, batchId);
  return writeSheets(cardsOf(deps.cards, batchId), {
    language: language ?? batch.language,
    perSheet: Number(perSheet) as CardsPerSheet,
    createdAt: new Date(batch.createdAt),
  });
}

async function* cardsOf(store: CardStore, batchId: string): AsyncGenerator<PrintedCard> {
  for (let last = 0; ; ) {
    const found = await store.idsAfter(batchId, last, CARDS_AT_ONCE);
    yield* found;
    if (found.length < CARDS_AT_ONCE) return;
    last = found.at(-1)?.place ?? last;
  }
}
