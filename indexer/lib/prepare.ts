import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { createPublicClient, type PublicClient } from "viem";
import { BlockLog } from "./block-log.ts";
import { createDatabase, releaseDatabase } from "./embedded-database.ts";
import { lockFolder } from "./folder-lock.ts";
import { extendsChain, type Marker, sameChain, schemaName } from "./marker.ts";
import { type IndexerSettings, transportOf } from "./settings.ts";

/** Ponder treats a block as final when this many follow it (chain 31337). */
const finality = 30;
/** Most missing blocks to wait for; with more, the database is rebuilt. */
const worthWaiting = 5;
const longestWaitMs = 15_000;

function readMarkerFile(file: string): Marker | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Marker;
  } catch {
    return undefined;
  }
}

function whyForeign(stored: Marker | undefined, marker: Marker): string | undefined {
  if (stored === undefined) return "it has no marker";
  if (!sameChain(stored, marker)) return "it belongs to another chain or deployment";
  if (stored.code !== marker.code) return "the indexer's code has changed";
  if (stored.pglite !== marker.pglite) return "the embedded database is of another version";
  return undefined;
}

/** Explain why the chain no longer contains the stored blocks up to `final`; undefined if it does. */
async function whyRewound(client: PublicClient, log: BlockLog, final: number): Promise<string | undefined> {
  let head = Number(await client.getBlockNumber({ cacheTime: 0 }));
  const until = Date.now() + longestWaitMs;
  while (head < final + finality && final + finality - head <= worthWaiting && Date.now() < until) {
    // Ponder refuses a finalized block that moved backwards; a few blocks are mined again immediately after a kill.
    await sleep(200);
    head = Number(await client.getBlockNumber({ cacheTime: 0 }));
  }
  if (final > 0 && head < final + finality) return `the chain was rewound to block ${head}`;
  // A block commits to its ancestors: if the chain still has a block after the final one, it has the final block too.
  for (const [number, hash] of log.from(final)) {
    if (number > head) break;
    const block = await client.getBlock({ blockNumber: BigInt(number) });
    if (block.hash === hash) return undefined;
  }
  return final === 0 ? undefined : `block ${final} has another hash now`;
}

/** Make the embedded database match the chain; see `prepareIndexer`. @returns why it is rebuilt, if it is */
export async function prepareEmbedded(settings: IndexerSettings, marker: Marker): Promise<string | undefined> {
  const { folder } = settings;
  mkdirSync(folder, { recursive: true });
  const release = lockFolder(folder);
  try {
    const markerFile = join(folder, "marker.json");
    const logFile = join(folder, "blocks.log");
    const fresh = !existsSync(join(folder, "pglite"));
    let why = whyForeign(readMarkerFile(markerFile), marker);
    if (why === undefined) {
      const final = await releaseDatabase(folder, schemaName(marker));
      const client = createPublicClient({ transport: transportOf(settings) });
      if (final !== undefined) why = await whyRewound(client, new BlockLog(logFile), final);
    }
    if (why === undefined) return undefined;
    // The marker is deleted first and written last, so that a kill in between causes another rebuild.
    rmSync(markerFile, { force: true });
    rmSync(join(folder, "pglite"), { recursive: true, force: true });
    rmSync(logFile, { force: true });
    await createDatabase(folder);
    writeFileSync(`${markerFile}.draft`, JSON.stringify(marker));
    renameSync(`${markerFile}.draft`, markerFile);
    return fresh ? undefined : why;
  } finally {
    release();
  }
}

/** Check that a PostgreSQL database is empty or belongs to the chain. Throws an Error that says why not. */
export async function preparePostgres(url: string, marker: Marker): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query("create schema if not exists hearth_indexer");
    await client.query("create table if not exists hearth_indexer.marker (id int primary key, value jsonb not null)");
    await client.query("insert into hearth_indexer.marker values (1, $1) on conflict do nothing", [marker]);
    const { rows } = await client.query<{ value: Marker }>("select value from hearth_indexer.marker where id = 1");
    const stored = rows[0]?.value;
    if (stored === undefined || sameChain(stored, marker)) return;
    if (extendsChain(marker, stored)) {
      // New contracts come with new code, which builds a new schema from the first block.
      await client.query("update hearth_indexer.marker set value = $1 where id = 1", [marker]);
      return;
    }
    throw new Error(
      `The indexer's PostgreSQL database belongs to another chain or deployment (genesis ${stored.genesis}, here ${marker.genesis}): ` +
        "give INDEXER_DATABASE_URL an empty database, or drop this one. Rows of two chains must never mix.",
    );
  } finally {
    await client.end();
  }
}
