import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { killChildWithParent } from "../support/parent-watchdog.ts";
import { freePorts } from "../support/ports.ts";
import { startPostgres, type TestPostgres } from "../support/postgres.ts";
import { issueBatch, registerParticipants } from "./story.ts";
import { createWorld, type World } from "./world.ts";

/** The standby must write within this time after the writer was killed, in milliseconds. */
const takeOverLimit = 30_000;

type Program = { url: string; process: ChildProcess; output: () => string };

describe("two indexers on one PostgreSQL", () => {
  let postgres: TestPostgres;
  let databaseUrl: string;
  let world: World;
  const programs: Program[] = [];

  before(async () => {
    postgres = await startPostgres();
    databaseUrl = await postgres.createDatabase();
    world = await createWorld();
    await registerParticipants(world, 5);
  });
  after(async () => {
    for (const { process } of programs) process.kill("SIGKILL");
    await world?.close();
    await postgres?.stop();
  });

  async function start(): Promise<Program> {
    const [port] = (await freePorts(1)) as [number];
    const env = {
      ...process.env,
      RPC_URL: world.anvil.url,
      CHAIN_ID: "31337",
      DEPLOYMENT: world.deployment,
      INDEXER_DATABASE_URL: databaseUrl,
      INDEXER_DIR: `${world.folder}/${port}`,
      INDEXER_PORT: String(port),
      INDEXER_REQUESTS_PER_MINUTE: "1000000",
    };
    const child = spawn(process.execPath, ["indexer/start.ts"], { env, stdio: ["ignore", "pipe", "pipe"] });
    killChildWithParent(child);
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk));
    const program = { url: `http://127.0.0.1:${port}`, process: child, output: () => output };
    programs.push(program);
    return program;
  }

  async function until(what: string, { output, process }: Program, isSo: () => Promise<boolean>, limit = 120_000) {
    const begin = Date.now();
    while (!(await isSo().catch(() => false))) {
      assert.ok(process.exitCode === null && process.signalCode === null, `it ended:\n${output()}`);
      assert.ok(Date.now() - begin < limit, `not within ${limit} ms: ${what}\n${output()}`);
      await sleep(50);
    }
    return Date.now() - begin;
  }

  const isReady = async ({ url }: Program) => (await fetch(`${url}/ready`)).status === 200;
  async function vouchersAt({ url }: Program): Promise<number> {
    const query = encodeURIComponent("select count(*) as n from voucher");
    const answer = await fetch(`${url}/sql?query=${query}`);
    return Number(((await answer.json()) as { rows: { n: string }[] }).rows[0]?.n);
  }

  it("lets one write, and the other answer queries and take over within 30 s of a kill", async (t) => {
    const first = await start();
    await until("the first is ready", first, () => isReady(first));
    const second = await start();
    await until("the second answers queries", second, () => isReady(second));
    assert.match(second.output(), /Another process writes this index/);
    await issueBatch(world, "CERT-1", 5, 1n);
    for (const each of [first, second]) await until("5 vouchers", each, async () => (await vouchersAt(each)) === 5);

    const ended = once(first.process, "exit");
    first.process.kill("SIGKILL");
    await ended;
    await issueBatch(world, "CERT-2", 5, 10_001n);
    const took = await until("10 vouchers", second, async () => (await vouchersAt(second)) === 10, takeOverLimit);
    t.diagnostic(`the standby had written the new vouchers ${took} ms after the kill`);

    const third = await start();
    await until("the third answers queries", third, () => isReady(third));
    assert.match(third.output(), /Another process writes this index/);
    assert.equal(await vouchersAt(third), 10);
  });
});
