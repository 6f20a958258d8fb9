import type { Context } from "ponder:registry";
import { carbonNotice } from "ponder:schema";
import type { ChainEvent } from "./activity.ts";
import { type Notice, noticeRow } from "./carbon.ts";

type Transaction = Pick<ChainEvent, "transaction">;

/** Record the meaning of the next transfer of CARBON, see `carbonNotice`. */
export async function announce(
  db: Context["db"],
  event: Transaction,
  kind: Notice["kind"],
  about: Parameters<typeof noticeRow>[2],
): Promise<void> {
  const { id, ...notice } = noticeRow(event, kind, about);
  await db
    .insert(carbonNotice)
    .values({ id, ...notice })
    .onConflictDoUpdate(notice);
}

/** Read what the event's transaction announced. */
export async function noticeOf(db: Context["db"], event: Transaction): Promise<Notice> {
  const notice = await db.find(carbonNotice, { id: "carbon" });
  return notice?.transactionHash === event.transaction.hash ? notice : noticeRow(event, "none", {});
}
