// The commands and variables of "Several machines" in docs/operations.md, on one machine with real PostgreSQL, S3 and chain.
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { type Anvil, startAnvil } from "../support/anvil.ts";
import { killChildWithParent } from "../support/parent-watchdog.ts";
import { freePorts } from "../support/ports.ts";
import { startPostgres, type TestPostgres } from "../support/postgres.ts";
import { startS3, type TestS3 } from "../support/s3.ts";
import { issueOneVoucher, productId, supplierDid } from "./scheme.ts";

const run = promisify(execFile);
const address = () => privateKeyToAccount(generatePrivateKey()).address;

let folder: string;
let anvil: Anvil;
let postgres: TestPostgres;
let s3: TestS3;
const programs: ChildProcess[] = [];
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "hearth-machines-"));
  anvil = await startAnvil();
  postgres = await startPostgres();
  s3 = await startS3();
});
after(async () => {
  for (const program of programs) program.kill("SIGKILL");
  await anvil?.stop("SIGKILL");
  await s3?.stop();
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function command(script: string, args: string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { stdout } = await run(process.execPath, [`scripts/${script}.ts`, ...args], {
    env: { ...process.env, ...env },
  });
  return stdout;
}

/** Start a program, and wait until its URL is ready. */
async function start(script: string, url: string, env: NodeJS.ProcessEnv): Promise<void> {
  const program = spawn(process.execPath, [`scripts/${script}.ts`], { env, stdio: ["ignore", "pipe", "pipe"] });
  killChildWithParent(program);
  programs.push(program);
  let output = "";
  for (const stream of [program.stdout, program.stderr]) stream.on("data", (chunk) => (output += chunk));
  for (const until = Date.now() + 120_000; Date.now() < until; await sleep(100)) {
    assert.equal(program.exitCode, null, `${script} ended:\n${output}`);
    const answer = await fetch(`${url}/ready`).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.status === 200) return;
  }
  assert.fail(`${script} was not ready in two minutes:\n${output}`);
}

test("secrets, deploy, indexer and two API processes come from the documented commands and ten variables", {
  timeout: 300_000,
}, async () => {
  const secrets = join(folder, "secrets");
  const printed = await command("secrets", [secrets]);
  const deployerKey = generatePrivateKey();
  const accounts = [...printed.matchAll(/^(?:operator|registrar|evaluator) +(0x\w{40})$/gm)].map(([, found]) => found);
  assert.equal(accounts.length, 3);
  for (const account of [...accounts, privateKeyToAccount(deployerKey).address]) {
    await anvil.rpc("anvil_setBalance", [account, `0x${(10n ** 21n).toString(16)}`]);
  }
  const DEPLOYMENT = join(folder, "31337.json");
  const council = [address(), address(), address()].join(",");
  const chain = ["--rpc", anvil.url, "--out", DEPLOYMENT, "--secrets", secrets];
  await command("deploy", [...chain, "--guardian", address(), "--council", council], { DEPLOYER_KEY: deployerKey });

  const [indexerPort, ...apiPorts] = (await freePorts(3)) as [number, number, number];
  const shared = {
    RPC_URL: anvil.url,
    CHAIN_ID: "31337",
    DEPLOYMENT,
    SECRETS_DIR: secrets,
    DATABASE_URL: await postgres.createDatabase(),
    INDEXER_DATABASE_URL: await postgres.createDatabase(),
    BLOB_URL: await s3.createBucket(),
    INDEXER_URL: `http://127.0.0.1:${indexerPort}`,
    PUBLIC_URL: `http://127.0.0.1:${apiPorts[0]}`,
    HOST: "127.0.0.1",
  };
  const { ADMIN_API_KEY: _, ...own } = process.env;
  // Each machine has a separate disk.
  const machine = (name: string) => ({ ...own, ...shared, DATA_DIR: join(folder, name) });
  await start("indexer", shared.INDEXER_URL, { ...machine("indexer"), INDEXER_PORT: String(indexerPort) });
  const urls = apiPorts.map((port) => `http://127.0.0.1:${port}`);
  for (const [index, port] of apiPorts.entries()) {
    await start("api", String(urls[index]), { ...machine(`api-${index}`), PORT: String(port) });
  }

  const key = (await readFile(join(secrets, "ADMIN_API_KEY"), "utf8")).trim();
  const at = (url: string | undefined) => ({
    call: async (method: string, path: string, body?: object) => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await fetch(`${url}${path}`, { method, headers, ...sent });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    },
  });
  const [one, two] = urls.map(at);
  const voucherId = await issueOneVoucher(one as ReturnType<typeof at>, 1_000);
  const redeemed = await two?.call("POST", "/v1/vouchers/redeem", { voucherId, supplierDid, productId, amount: 10 });
  assert.equal(redeemed?.status, 201, JSON.stringify(redeemed));
  // Each write is at one process, and the list right after it at the other.
  const listedAt = async (machine: typeof one) => {
    const answer = await machine?.call("GET", `/v1/redemptions?voucherId=${encodeURIComponent(voucherId)}`);
    return (answer?.body.items as unknown[] | undefined)?.length;
  };
  assert.equal(await listedAt(one), 1, "the index has it");
  for (let count = 2; count <= 9; count++) {
    const [writer, reader] = count % 2 === 0 ? [one, two] : [two, one];
    const again = await writer?.call("POST", "/v1/vouchers/redeem", { voucherId, supplierDid, productId, amount: 10 });
    assert.equal(again?.status, 201, JSON.stringify(again));
    assert.equal(await listedAt(reader), count, "a process reads what another one has written");
  }
});
