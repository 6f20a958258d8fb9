import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, stat } from "node:fs/promises";
import { Agent, get } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { buildApi } from "../scripts/build-api.ts";
import { shortLife } from "../scripts/testing/short-life.ts";
import { createTestWorld, type TestWorld } from "../test/support/chain.ts";
import { freePorts } from "../test/support/ports.ts";
import type { Deps } from "./compose.ts";
import { openDatabase } from "./platform/db/client.ts";
import { createFirstAdminKey } from "./platform/keys/service.ts";
import { createKeyStore } from "./platform/keys/store.ts";
import { writeFirstAdminKey } from "./platform/local-run.ts";
import { apiKeys } from "./tables.ts";

const keysFile = fileURLToPath(new URL("../scripts/keys.ts", import.meta.url));

let world: TestWorld;
let env: Record<string, string>;
let url: string;
const children: ChildProcess[] = [];
before(async () => {
  world = await createTestWorld();
  const [port] = (await freePorts(1)) as [number];
  url = `http://127.0.0.1:${port}`;
  const { PATH = "", NODE_OPTIONS = "", NODE_COMPILE_CACHE = "" } = process.env;
  env = {
    PATH,
    NODE_OPTIONS,
    NODE_COMPILE_CACHE,
    DATA_DIR: world.dataDir,
    CHAIN_PORT: String(world.anvil.port),
    PORT: String(port),
    // Longer than the process gives all other requests at its end, which is 5 seconds.
    TX_WAIT_MS: "8000",
    // Nobody listens there, whatever else runs on this machine.
    INDEXER_PORT: "1",
  };
});
after(async () => {
  for (const child of children) child.kill("SIGKILL");
  await world?.close();
});

type Run = { child: ChildProcess; output: () => string };

async function start(): Promise<Run> {
  const child = spawn(process.execPath, [...shortLife, await buildApi()], { env, stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => (output += chunk.toString()));
  for (let i = 0; i < 600 && child.exitCode === null; i++) {
    if (
      await fetch(`${url}/health`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return { child, output: () => output };
    await sleep(100);
  }
  throw new Error(`The server did not start:\n${output}`);
}

async function end({ child }: Run, signal: NodeJS.Signals): Promise<number | null> {
  const exited = once(child, "exit");
  child.kill(signal);
  const [code] = (await exited) as [number | null];
  return code;
}

async function keys(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [keysFile, ...args], { env });
  return stdout.trim();
}

const statusWith = async (key: string) =>
  (await fetch(`${url}/v1/keys`, { headers: { authorization: `Bearer ${key}` } })).status;

test("shows the first admin key once, keeps it over a kill, and stops cleanly", async () => {
  const first = await start();
  let shown: string | undefined;
  for (let i = 0; i < 100 && shown === undefined; i++) {
    shown = /shown only once\): (hk_\S+)/.exec(first.output())?.[1];
    await sleep(50);
  }
  assert.ok(shown !== undefined, first.output());
  assert.equal(await statusWith(shown), 200);
  const ready = await fetch(`${url}/ready`);
  assert.equal(ready.status, 503, "no indexer runs here");
  assert.equal(ready.headers.get("x-content-type-options"), "nosniff");

  const made = await keys("create", "--role", "regulator", "--name", "made while it runs");
  assert.equal(await statusWith(made), 403);
  const { mode } = await stat(join(world.dataDir, "run", "api.json"));
  assert.equal(mode & 0o077, 0);

  await end(first, "SIGKILL");
  const second = await start();
  assert.equal(await statusWith(shown), 200);
  await sleep(300);
  assert.doesNotMatch(second.output(), /shown only once/);
  assert.equal(await end(second, "SIGTERM"), 0);
  await assert.rejects(readFile(join(world.dataDir, "run", "api.json")), { code: "ENOENT" });

  const offline = await keys("list");
  assert.match(offline, /made while it runs/);
});

test("shows the first admin key of a start that was killed before it could, and refuses to share its database", async () => {
  const { db, close } = await openDatabase({ dataDir: world.dataDir, databaseUrl: undefined });
  await db.delete(apiKeys);
  const keyStore = createKeyStore(db);
  const lost = { keys: { store: keyStore }, clock: { now: () => new Date() } } as unknown as Deps;
  let lostKey = "";
  await createFirstAdminKey(lost, async (key) => {
    lostKey = key;
    await writeFirstAdminKey(world.dataDir, key);
  });
  await close();
  const server = await start();
  for (let i = 0; i < 100 && !server.output().includes(lostKey); i++) await sleep(50);
  assert.ok(server.output().includes(lostKey), server.output());
  assert.equal(await statusWith(lostKey), 200);

  const second = promisify(execFile)(process.execPath, [await buildApi()], { env });
  await assert.rejects(second, (error: Error & { stderr: string }) => {
    assert.match(error.stderr, new RegExp(`in use by process ${server.child.pid}`));
    return true;
  });
  assert.equal(await end(server, "SIGINT"), 0);
});

test("answers every request that it took when SIGTERM comes in the middle of many", async () => {
  const server = await start();
  const agent = new Agent({ keepAlive: true, maxSockets: 24 });
  const outcomes = new Map<string, number>();
  const count = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  let over = false;
  const work = async () => {
    while (!over) {
      const outcome = await ask(agent, `${url}/v1/pool/price`);
      // Nobody listens any more: nothing was sent.
      if (outcome === "ECONNREFUSED") return;
      count(outcome);
    }
  };
  const workers = Array.from({ length: 24 }, work);
  await sleep(1_500);
  const stopped = end(server, "SIGTERM");
  await Promise.race([Promise.all(workers), sleep(20_000)]);
  over = true;
  assert.equal(await stopped, 0);
  agent.destroy();
  assert.deepEqual([...outcomes.keys()].sort(), ["answered"], JSON.stringify([...outcomes]));
  assert.ok((outcomes.get("answered") ?? 0) > 100, JSON.stringify([...outcomes]));
});

test("ends event streams at SIGTERM, instead of breaking them off when the time to stop is over", async () => {
  const server = await start();
  const { key } = JSON.parse(await keys("create", "--role", "admin", "--name", "listener", "--json")) as {
    key: string;
  };
  const stream = await fetch(`${url}/v1/events`, { headers: { authorization: `Bearer ${key}` } });
  assert.equal(stream.status, 200);
  const begin = Date.now();
  const stopped = end(server, "SIGTERM");
  assert.match(await stream.text(), /^: connected/);
  assert.equal(await stopped, 0);
  assert.ok(Date.now() - begin < 9_000, `${Date.now() - begin} ms`);
});

test("answers a request that waits for its block longer than most, although SIGTERM came meanwhile", async () => {
  const server = await start();
  const { key } = JSON.parse(await keys("create", "--role", "admin", "--name", "writer", "--json")) as { key: string };
  await world.anvil.pauseMining();
  try {
    const supplier = { did: "did:ixo:supplier/late", name: "Shop", account: `0x${"7".repeat(40)}` };
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const answer = fetch(`${url}/v1/suppliers`, { method: "POST", headers, body: JSON.stringify(supplier) });
    await world.anvil.untilPending(1);
    const stopped = end(server, "SIGTERM");
    // After TX_WAIT_MS: accepted, and the next process continues.
    assert.equal((await answer).status, 202);
    assert.equal(await stopped, 0);
  } finally {
    await world.anvil.resumeMining();
  }
});

/** Result of a request: the complete answer, or the error code. */
function ask(agent: Agent, target: string): Promise<string> {
  return new Promise((resolve) => {
    const request = get(target, { agent }, (response) => {
      response
        .resume()
        .once("end", () => resolve("answered"))
        .once("error", () => resolve("broken off"));
    });
    request.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
}
