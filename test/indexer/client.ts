import { createClient, type Status } from "@ponder/client";
import type { ReadonlyDrizzle } from "ponder";
import * as schema from "../../indexer/ponder.schema.ts";

export type IndexerClient = {
  /** Drizzle over HTTP, read-only. Take the operators (`eq`, `and`, `gt`, …) from "ponder", whose Drizzle it is. */
  db: ReadonlyDrizzle<typeof schema>;
  /** The block that the indexer has reached; undefined before the first. Throws when the indexer does not answer. */
  block(): Promise<{ number: number; timestamp: number } | undefined>;
};

/**
 * Open a client of a running indexer.
 * @param url Its base URL, e.g. `http://127.0.0.1:42069`.
 * @param token The indexer's INDEXER_TOKEN: without it the public rate limit and price limit hold.
 */
export function openIndexerClient(url: string, token?: string): IndexerClient {
  const query = token === undefined ? "" : `?token=${encodeURIComponent(token)}`;
  const { db } = createClient(`${url}/sql${query}`, { schema });
  const block = async () => {
    const response = await fetch(`${url}/status`);
    if (!response.ok) throw new Error(`The indexer answered ${response.status}`);
    return ((await response.json()) as Status).hearth?.block;
  };
  // The same Drizzle twice, in two folders: only the types cannot see it.
  return { db: db as unknown as IndexerClient["db"], block };
}
