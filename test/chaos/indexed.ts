import * as schema from "../../indexer/ponder.schema.ts";
import type { Indexer } from "../indexer/ponder-process.ts";

/** Count the redemptions in the index. */
export async function countIndexedRedemptions({ client }: Indexer): Promise<number> {
  return (await client.db.select({ id: schema.redemption.id }).from(schema.redemption)).length;
}
