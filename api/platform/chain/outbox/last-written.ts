import type { Database } from "../../db/index.ts";
import type { Chain } from "../chain.ts";
import { newestBlock } from "./store.ts";

/**
 * Return the newest block with a transaction of the service, by any process that shares the database. So what one process has
 * acknowledged can be read at every other.
 */
export async function lastWrittenBlock(
  { outbox, head }: Pick<Chain, "outbox" | "head">,
  { db, exclusive }: { db: Database; exclusive: boolean },
): Promise<number> {
  const stored = exclusive ? 0 : await newestBlock(db);
  if (stored <= outbox.lastBlock) return outbox.lastBlock;
  // After a reorganisation the stored block may be above the newest one, until its transactions are in a block again.
  const latest = Number(head.latest?.number ?? 0n);
  const newest = latest >= stored ? latest : Number((await head.fetch()).number);
  return Math.max(outbox.lastBlock, Math.min(stored, newest));
}
