import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringToHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { openApp } from "../../api/app.ts";
import type { Deps } from "../../api/compose.ts";
import { readConfig } from "../../api/config.ts";
import { createLog } from "../../api/platform/log.ts";
import { itmoBlockIdOf } from "../../wire/src/itmo-ids.ts";
import { commitLongBefore, tellCampaigns } from "../indexer/campaign-story.ts";
import { tellItmos, tonne } from "../indexer/itmo-story.ts";
import { type Indexer, startIndexerOn, waitForBlock } from "../indexer/ponder-process.ts";
import { tellStory } from "../indexer/story.ts";
import { createWorld, type World } from "../indexer/world.ts";
import { testAdminKey } from "./core.ts";
import { placeDatabase } from "./database.ts";
import type { Caller } from "./registry.ts";

export type ItmoIndexTest = {
  deps: Deps;
  indexer: Indexer;
  regulator: Caller;
  implementer: Caller;
  /** Give a serial of the fourth conversion, 201 or 202, to Switzerland. */
  transfer: (serial: bigint) => Promise<void>;
  close: () => Promise<void>;
};

/**
 * For tests: the API and an index over a chain with the story of `tellItmos`, and one more conversion of 2 t, with serials 201 and
 * 202. Every CARBON behind it went through redemption, claim and pool.
 */
export async function openItmoIndex(): Promise<ItmoIndexTest> {
  const world = await createWorld();
  const ends: (() => Promise<void>)[] = [world.close];
  const close = async () => {
    for (const end of ends.reverse()) await end();
  };
  try {
    return await openOn(world, ends, close);
  } catch (error) {
    await close();
    throw error;
  }
}

/** @param ends filled with what ends each part */
async function openOn(world: World, ends: (() => Promise<void>)[], close: () => Promise<void>): Promise<ItmoIndexTest> {
  await commitLongBefore(world);
  await tellStory(world);
  await tellCampaigns(world);
  await tellItmos(world);
  const lastBlock = await convertMore(world);
  const dataDir = await mkdtemp(join(tmpdir(), "hearth-itmo-index-"));
  ends.push(() => rm(dataDir, { recursive: true, force: true }));
  const indexer = await startIndexerOn(world, join(dataDir, "indexer"));
  ends.push(() => indexer.stop("SIGKILL"));
  await waitForBlock(indexer, lastBlock);
  await placeDatabase(dataDir);
  await mkdir(join(dataDir, "deployments"));
  await copyFile(world.deployment, join(dataDir, "deployments", "31337.json"));
  await mkdir(join(dataDir, "keys"), { mode: 0o700 });
  for (const [name, key] of Object.entries(world.contracts.keys)) {
    await writeFile(join(dataDir, "keys", `${name}.key`), key, { mode: 0o600 });
  }
  const config = readConfig({
    DATA_DIR: dataDir,
    CHAIN_PORT: String(world.anvil.port),
    INDEXER_URL: indexer.url,
    INDEXER_TOKEN: "a token of the tests",
    ADMIN_API_KEY: testAdminKey,
    REQUESTS_PER_MINUTE: "100000",
    LOG_LEVEL: "silent",
  });
  const { app, deps, close: closeApp } = await openApp(config, createLog(config));
  ends.push(closeApp);
  const caller =
    (key: string): Caller =>
    async (method, path, body) => {
      const headers = { authorization: `Bearer ${key}` };
      const payload = body === undefined ? {} : { body: JSON.stringify(body) };
      const answer = await app.request(`/v1${path}`, { method, headers, ...payload });
      const text = await answer.text();
      return { status: answer.status, headers: answer.headers, body: text === "" ? null : JSON.parse(text) };
    };
  const keyOf = async (body: object): Promise<Caller> => {
    const made = await caller(testAdminKey)("POST", "/keys", body);
    if (made.status !== 201) throw new Error(`No key was made: ${JSON.stringify(made.body)}`);
    return caller((made.body as { key: string }).key);
  };
  return {
    deps,
    indexer,
    regulator: await keyOf({ role: "regulator", name: "regulator" }),
    implementer: await keyOf({ role: "implementer", name: "implementer", implementerDid: "did:ixo:impl/1" }),
    transfer: async (serial) => {
      const part = { blockId: itmoBlockIdOf(4, 201n), firstId: serial, lastId: serial };
      const { blockNumber } = await world.send("registrar", "itmo", "transfer", [part, stringToHex("CHE"), "sold"]);
      await waitForBlock(indexer, blockNumber);
    },
    close,
  };
}

async function convertMore({ send, contracts }: World): Promise<bigint> {
  const account = privateKeyToAccount(contracts.keys.deployer).address;
  const cost = 101_000_000n;
  await send("registrar", "itmo", "setAuthorizedQuantity", [1, 100n, "Second letter"]);
  await send("deployer", "stablecoin", "mint", [account, cost]);
  await send("deployer", "stablecoin", "approve", [contracts.addresses.pool, cost]);
  await send("deployer", "pool", "buyCarbon", [2, cost, 0n, 2n ** 63n]);
  const order = { implementer: 2, amount: 2n * tonne, authorization: 1, vintage: 2023 };
  await send("deployer", "itmo", "requestConversion", [order]);
  const { blockNumber } = await send("registrar", "itmo", "finalise", [4, stringToHex("ZMB01"), 201n, 202n, 0]);
  return blockNumber;
}
