import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { encodeFunctionData } from "viem";
import { chunkTree, proofFrom } from "../api/scheme/certificates/allocation-tree.ts";
import { vouchersAbi } from "../deployments/abi/vouchers.ts";
import { prepareIndexer, spawnIndexer } from "../indexer/start.ts";
import { issueBatch, registerParticipants } from "../test/indexer/story.ts";
import { createWorld, type World } from "../test/indexer/world.ts";
import { freePort } from "../test/support/anvil.ts";
import { type Figure, ratioFigure } from "./figures.ts";

const vouchers = 1_000;
const perTransaction = 1_000;
const bare = fileURLToPath(new URL("bare-indexer/", import.meta.url));

type Sync = { seconds: number; processor: number };
type Program = { name: string; port: number; table: string; start: () => Promise<ChildProcess> };

/** Fill a chain with redemptions: `vouchers` vouchers of 100 CARBON, each spent in many redemptions. */
async function fillChain(world: World, events: number): Promise<void> {
  await registerParticipants(world, vouchers);
  const leaves = await issueBatch(world, "CERT-BENCH", vouchers, 1n);
  const ids = Array.from({ length: vouchers }, (_, i) => (BigInt(1 + (i >> 8)) << 32n) | BigInt(i & 255));
  for (let from = 0; from < vouchers; from += 250) {
    const openings = ids.slice(from, from + 250).map((voucher, i) => {
      const chunk = leaves.subarray(((from + i) >> 8) * 3_072, (((from + i) >> 8) + 1) * 3_072);
      const proof = proofFrom(chunkTree(chunk), (from + i) & 255);
      return { voucher, household: from + i + 1, value: 100_000_000n, proof };
    });
    const calls = openings.map((opening) =>
      encodeFunctionData({ abi: vouchersAbi, functionName: "open", args: [opening] }),
    );
    await world.send("operator", "vouchers", "multicall", [calls]);
  }
  for (let done = 0; done < events; done += perTransaction) {
    const orders = Array.from({ length: Math.min(perTransaction, events - done) }, (_, i) => {
      return { voucher: ids[(done + i) % vouchers], supplier: 1, product: 1, amount: 1_000n };
    });
    await world.send("operator", "vouchers", "redeemMany", [[], orders, []]);
  }
  // The events must be final for Ponder, so that a sync reads all of them as history.
  for (let i = 0; i < 20; i += 1) await world.anvil.rpc("anvil_mine", ["0x2"]);
  // Each further block would copy the chain's whole state during the timed syncs.
  await world.anvil.rpc("evm_setIntervalMining", [0]);
}

async function waitFor(url: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`The process ended with ${child.exitCode}`);
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Processor seconds that a process has used; unlike elapsed time, the same on a busy machine. Linux only. */
function processorSeconds({ pid }: ChildProcess): number {
  const [, fields = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const [user, system] = fields.split(" ").slice(11, 13).map(Number) as [number, number];
  return (user + system) / 100;
}

/** Seconds of a sync, from the moment when Ponder's server answers (its database exists) until it is ready. */
async function time({ name, port, table, start }: Program, events: number): Promise<Sync> {
  const child = await start();
  const exited = new Promise((resolve) => child.once("exit", resolve));
  try {
    await waitFor(`http://127.0.0.1:${port}/health`, child);
    const [made, before] = [performance.now(), processorSeconds(child)];
    await waitFor(`http://127.0.0.1:${port}/ready`, child);
    const seconds = (performance.now() - made) / 1_000;
    const processor = processorSeconds(child) - before;
    const query = JSON.stringify({ json: { sql: `select count(*) as n from ${table}`, params: [] } });
    const answer = await fetch(`http://127.0.0.1:${port}/sql/db?sql=${encodeURIComponent(query)}`);
    const { rows } = (await answer.json()) as { rows: [{ n: number }] };
    if (Number(rows[0].n) !== events) throw new Error(`${name} has ${rows[0].n} rows of ${events}`);
    return { seconds, processor };
  } finally {
    child.kill("SIGTERM");
    await exited;
  }
}

async function indexerOf(world: World): Promise<Program> {
  const port = await freePort();
  const { url: rpcUrl } = world.anvil;
  const place = { folder: join(world.folder, "indexer"), deployment: world.deployment, host: "127.0.0.1", port };
  const settings = { rpcUrl, chainId: 31_337, requestsPerMinute: 100_000, ...place };
  const start = async () => spawnIndexer(settings, (await prepareIndexer(settings)).schema);
  return { name: "indexer", port, table: "redemption", start };
}

async function bareOf(world: World): Promise<Program> {
  const port = await freePort();
  const script = fileURLToPath(new URL("bin/ponder.js", import.meta.resolve("ponder")));
  const env = {
    ...process.env,
    PORT: String(port),
    PONDER_TELEMETRY_DISABLED: "true",
    RPC_URL: world.anvil.url,
    BARE_FOLDER: join(world.folder, "bare"),
    VOUCHERS: world.contracts.addresses.vouchers,
    START_BLOCK: String(world.contracts.startBlock),
  };
  const options = ["start", "--root", bare, "--schema", "bare", "--hostname", "127.0.0.1", "--log-level", "error"];
  const start = async () => spawn(process.execPath, [script, ...options], { env, stdio: "inherit" });
  return { name: "bare Ponder app", port, table: "redeemed", start };
}

/**
 * Events per second of a fresh sync, compared with a bare Ponder app that writes one row per event of the same chain.
 * `npm run bench:api -- --only indexer` runs it.
 */
export async function benchIndexer(events: number): Promise<Figure[]> {
  const world = await createWorld({ blockSeconds: 0.5 });
  try {
    await fillChain(world, events);
    const own = await time(await indexerOf(world), events);
    const plain = await time(await bareOf(world), events);
    const reference = "bare Ponder app, one row an event";
    const name = `indexer, fresh sync of ${events} events`;
    const compare = (label: string, of: (sync: Sync) => number, atLeast?: number) =>
      ratioFigure(label, events / of(own), "events/s", { name: reference, value: events / of(plain) }, atLeast);
    return [
      compare(name, ({ seconds }) => seconds, 0.8),
      compare(`${name}, by processor time`, ({ processor }) => processor),
    ];
  } finally {
    await world.close();
  }
}
