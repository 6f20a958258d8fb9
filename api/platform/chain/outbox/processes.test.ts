import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Hex, keccak256, stringToBytes } from "viem";
import { shortLife } from "../../../../scripts/testing/short-life.ts";
import { type Anvil, startAnvil } from "../../../../test/support/anvil.ts";
import { createTestWorld, openTestChain, type TestWorld } from "../../../../test/support/chain.ts";
import { startPostgres, type TestPostgres } from "../../../../test/support/postgres.ts";
import type { Chain } from "../chain.ts";
import { submitCall } from "../submit.ts";
import { countOpen } from "./store.ts";

const script = new URL("../../../../test/support/outbox-process.ts", import.meta.url).pathname;

type Writer = { process: ChildProcess; acknowledged: Map<string, Hex>; ended: Promise<number | null> };

/** Start a process that registers `count` suppliers through the outbox, `inFlight` at a time. */
function startWriter(env: Record<string, string>, prefix: string, count: number, inFlight: number): Writer {
  const { PATH, NODE_OPTIONS, NODE_COMPILE_CACHE } = process.env;
  const child = spawn(process.execPath, [...shortLife, script, prefix, String(count), String(inFlight)], {
    env: { PATH, NODE_OPTIONS, NODE_COMPILE_CACHE, LOG_LEVEL: "silent", ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const acknowledged = new Map<string, Hex>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    const [did, hash] = line.split(" ");
    if (did && hash) acknowledged.set(did, hash as Hex);
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  return { process: child, acknowledged, ended };
}

const environmentOf = (world: TestWorld, more: Record<string, string> = {}): Record<string, string> => ({
  DATA_DIR: world.dataDir,
  CHAIN_PORT: String(world.anvil.port),
  ...more,
});

async function indexOf(chain: Chain, did: string): Promise<number> {
  return await chain.read("participants", "supplierIndex", [keccak256(stringToBytes(did))]);
}

async function settled(chain: Chain): Promise<void> {
  for (let i = 0; i < 300; i++) {
    if ((await countOpen(chain.outbox.options.db)) === 0) return;
    await sleep(100);
  }
  assert.fail("open transactions were never settled");
}

async function registrations(chain: Chain): Promise<string[]> {
  return (await chain.past("participants", "SupplierRegistered", {})).map(({ args }) => args.did);
}

describe("two processes on one PostgreSQL", () => {
  let postgres: TestPostgres;
  let world: TestWorld;
  before(async () => {
    [postgres, world] = await Promise.all([startPostgres(), createTestWorld()]);
  });
  after(async () => {
    await world.close();
    await postgres.stop();
  });

  it("send 60 of 60 with one key", async () => {
    const env = environmentOf(world, { DATABASE_URL: await postgres.createDatabase() });
    const writers = [startWriter(env, "a", 30, 30), startWriter(env, "b", 30, 30)];
    assert.deepEqual(await Promise.all(writers.map(({ ended }) => ended)), [0, 0]);
    const hashes = writers.flatMap(({ acknowledged }) => [...acknowledged.values()]);
    assert.equal(new Set(hashes).size, 60);
    const { chain, close } = await openTestChain(world, { DATABASE_URL: env.DATABASE_URL ?? "" });
    const dids = await registrations(chain);
    await close();
    assert.equal(dids.length, 60);
    assert.equal(new Set(dids).size, 60);
  });

  it("finish what a killed one had stored, each once", async () => {
    const env = environmentOf(world, { DATABASE_URL: await postgres.createDatabase() });
    const victim = startWriter(env, "killed", 400, 25);
    while (victim.acknowledged.size < 40) await sleep(20);
    victim.process.kill("SIGKILL");
    await victim.ended;
    // The same requests again, under the same idempotency ids, by another process.
    const heir = startWriter(env, "killed", 120, 25);
    assert.equal(await heir.ended, 0);
    const { chain, close } = await openTestChain(world, { DATABASE_URL: env.DATABASE_URL ?? "" });
    await settled(chain);
    const dids = (await registrations(chain)).filter((did) => did.startsWith("did:test:killed"));
    await close();
    assert.equal(new Set(dids).size, dids.length, "something was registered twice");
    for (const [did, hash] of victim.acknowledged) {
      assert.ok(dids.includes(did), `${did} was acknowledged and is lost`);
      if (heir.acknowledged.has(did)) assert.equal(heir.acknowledged.get(did), hash);
    }
  });
});

describe("a chain that was killed and has lost its last blocks", () => {
  let world: TestWorld;
  let chain: Chain;
  let close: () => Promise<void>;
  let restarted: Anvil | undefined;
  before(async () => {
    world = await createTestWorld({ persistent: true, stateInterval: 1 });
    // The deployment must be in a dump: it was not made through the outbox.
    await sleep(2_500);
    ({ chain, close } = await openTestChain(world));
  });
  after(async () => {
    await close();
    await restarted?.stop("SIGKILL");
    await world.close();
  });

  const register = (did: string) =>
    submitCall(
      { chain },
      {},
      {
        sender: "registrar",
        contract: "participants",
        functionName: "registerSupplier",
        args: [did, "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "Shop", "north"],
        purpose: "test",
      },
    );

  it("gets every acknowledged transaction again, with the same ids", async () => {
    const indices = new Map<string, number>();
    const stop = Date.now() + 2_500;
    for (let i = 0; Date.now() < stop; i++) {
      const did = `did:test:rewound-${i}`;
      await register(did);
      indices.set(did, await indexOf(chain, did));
    }
    const { number: before } = await chain.latest();
    await world.anvil.stop("SIGKILL");
    const stateFile = `${world.dataDir}/chain.json`;
    restarted = await startAnvil({ port: world.anvil.port, stateFile, stateInterval: 1 });
    const { number: after } = await chain.latest();
    for (let i = 0; i < 200 && (await indexOf(chain, [...indices.keys()].at(-1) ?? "")) === 0; i++) await sleep(100);
    for (const [did, index] of indices) assert.equal(await indexOf(chain, did), index, `${did} (${before} → ${after})`);
    await settled(chain);
    await register("did:test:after-the-rewind");
    assert.equal(await indexOf(chain, "did:test:after-the-rewind"), indices.size + 1);
  });
});
