import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Address, createTestClient, type Hex, http, publicActions } from "viem";
import { newTestUser } from "../support/oracle/oracle.ts";
import { createStack, type Stack } from "../support/stack.ts";
import { householdDid, issueOneVoucher } from "./scheme.ts";

const script = join(import.meta.dirname, "../../scripts/dev-stack.ts");
let stack: Stack;
let tokenFile: string;
let voucherId: string;

before(async () => {
  // No key given: the first start makes one.
  tokenFile = join(mkdtempSync(join(tmpdir(), "hearth-token-")), "token");
  writeFileSync(tokenFile, "a token of the tests, in a file\n");
  stack = await createStack({ env: { ADMIN_API_KEY: "", INDEXER_TOKEN_FILE: tokenFile } });
  await stack.start();
});
after(async () => {
  await stack.remove();
  rmSync(dirname(tokenFile), { recursive: true, force: true });
});

/** Whether a process still runs; one that has ended and that nobody has reaped does not. */
function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return !stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z");
  } catch {
    // It ended while we looked, or before.
    return false;
  }
}

async function untilGone(pids: number[]): Promise<void> {
  for (let waited = 0; pids.some(isAlive) && waited < 60_000; waited += 100) await sleep(100);
  assert.deepEqual(pids.filter(isAlive), []);
}

/** A second start with this one's settings; answers what it says and how it ends. */
function startAgain(env: Record<string, string>) {
  const url = new URL(stack.url);
  const settings = {
    ...process.env,
    PORT: url.port,
    INDEXER_PORT: new URL(stack.indexerUrl).port,
    CHAIN_PORT: new URL(stack.rpcUrl).port,
  };
  return spawnSync(process.execPath, [script], { env: { ...settings, ...env }, encoding: "utf8", timeout: 240_000 });
}

test("deploys the committed contracts without compiling them", () => {
  assert.match(stack.output, /contracts: \d+ deployed/);
  assert.doesNotMatch(stack.output, /compiling/);
});

test("prints the URLs and, the first time, the admin key, which works", async () => {
  const key = /Admin key\s+(\S+)/.exec(stack.output)?.[1] ?? "";
  stack.useKey(key);
  assert.match(stack.output, new RegExp(`API\\s+${stack.url}/v1`));
  assert.equal((await stack.call("GET", "/v1/keys")).status, 200);
  voucherId = await issueOneVoucher(stack, 100);
});

test("lets a conversation find the tables of the index, and ask them", async () => {
  const { id: did } = (await (await fetch(`${stack.url}/.well-known/did.json`)).json()) as { id: string };
  const user = await newTestUser({ url: stack.url, did });
  const session = await user.session();
  const say = async (message: string) => {
    const answer = await user.call("POST", `/messages/${encodeURIComponent(session)}`, { message });
    return ((await answer.json()) as { message: { content: string } }).message.content;
  };
  assert.match(await say("/tool list_index_tables {}"), /voucher/);
  const sql = "select value from voucher";
  assert.match(await say(`/tool query_index ${JSON.stringify({ sql })}`), /100000000/);
  assert.match(await say(`/tool query_index ${JSON.stringify({ sql: "select pg_sleep(1)" })}`), /not allowed/);
});

test("keeps what it writes from other users of the machine", () => {
  for (const folder of ["keys", "chain", "logs"]) {
    for (const name of readdirSync(join(stack.dataDir, folder))) {
      assert.equal(statSync(join(stack.dataDir, folder, name)).mode & 0o077, 0, `${folder}/${name}`);
    }
  }
});

test("refuses a second start in the same folder, naming the process that has it", () => {
  const { status, stderr } = startAgain({ DATA_DIR: stack.dataDir });
  assert.equal(status, 1);
  assert.match(stderr, new RegExp(`already runs in .* \\(process ${stack.pid}\\)`));
});

test("names a port that is taken and the variable that moves it", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(address !== null && typeof address === "object");
  const { status, stderr } = startAgain({ DATA_DIR: `${stack.dataDir}-other`, CHAIN_PORT: String(address.port) });
  await new Promise((resolve) => server.close(resolve));
  assert.equal(status, 1);
  assert.match(stderr, new RegExp(`Port ${address.port} is taken.*CHAIN_PORT`));
});

test("starts a part again that dies", async () => {
  const api = stack.descendants().find((pid) => commandOf(pid).endsWith("api/main.js"));
  assert.ok(api !== undefined);
  process.kill(api, "SIGKILL");
  await sleep(1_000);
  await stack.ready();
  assert.match(stack.output, /the API ended .* starting it again/);
});

test("ends every process on SIGTERM with exit code 0, and continues where it stopped", async () => {
  const pids = stack.descendants();
  assert.ok(pids.length >= 3);
  assert.equal(await stack.stop(), 0);
  await untilGone(pids);
  await stack.start();
  const { status, body } = await stack.call("GET", `/v1/vouchers/${encodeURIComponent(voucherId)}`);
  assert.equal(status, 200);
  assert.equal(body.recipientDid, householdDid);
  assert.equal(stack.output.match(/Admin key/g)?.length, 1);
});

test("leaves nothing running when its first process is killed, and continues after", async () => {
  const pids = stack.descendants();
  process.kill(stack.pid, "SIGKILL");
  await untilGone(pids);
  await stack.start();
  assert.equal((await stack.call("GET", `/v1/vouchers/${encodeURIComponent(voucherId)}`)).status, 200);
});

test("adds the contracts that a folder of an earlier version lacks, and continues with the rest", async () => {
  const file = join(stack.dataDir, "deployments", "31337.json");
  const deployment = JSON.parse(readFileSync(file, "utf8"));
  await changeCode(deployment.contracts.pool);
  await stack.stop();
  const { campaigns: _, ...contracts } = deployment.contracts;
  writeFileSync(file, JSON.stringify({ ...deployment, contracts }));
  await stack.start();
  assert.match(stack.output, /added to those of an earlier version: campaigns/);
  assert.match(stack.output, /of another version, with all that this one calls: pool; a new DATA_DIR/);
  const now = JSON.parse(readFileSync(file, "utf8"));
  assert.deepEqual({ ...now.contracts, campaigns: undefined }, { ...contracts, campaigns: undefined });
  assert.match(now.contracts.campaigns, /^0x[0-9a-fA-F]{40}$/);
  assert.equal((await stack.call("GET", `/v1/vouchers/${encodeURIComponent(voucherId)}`)).status, 200);
  // The indexer has read the chain again.
  const { body } = await stack.call("GET", `/v1/vouchers?recipientDid=${encodeURIComponent(householdDid)}`);
  assert.equal((body.items as unknown[]).length, 1);
  assert.deepEqual((await stack.call("GET", "/v1/campaigns")).body.items, []);
});

/** Give a contract other code that does the same: one more byte that nothing reaches, before the metadata. */
async function changeCode(address: Address): Promise<void> {
  const chain = createTestClient({ mode: "anvil", transport: http(stack.rpcUrl) }).extend(publicActions);
  const code = await chain.getCode({ address });
  assert.ok(code);
  const metadata = 2 * (Number.parseInt(code.slice(-4), 16) + 2);
  await chain.setCode({ address, bytecode: `${code.slice(0, -metadata)}00${code.slice(-metadata)}` as Hex });
}

function commandOf(pid: number): string {
  return spawnSync("ps", ["-o", "args=", "-p", String(pid)], { encoding: "utf8" }).stdout.trim();
}
