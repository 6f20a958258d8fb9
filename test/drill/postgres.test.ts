// The drill of an installation on PostgreSQL and a bucket: back up under load, lose both, restore into new ones.
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { globSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { generateKey, mintToken } from "../../api/platform/ucan/mint.ts";
import { issueOneVoucher, productId, supplierDid } from "../e2e/scheme.ts";
import { type Anvil, startAnvil } from "../support/anvil.ts";
import { killChildWithParent } from "../support/parent-watchdog.ts";
import { freePorts } from "../support/ports.ts";
import { startPostgres, type TestPostgres } from "../support/postgres.ts";
import { startS3, type TestS3 } from "../support/s3.ts";

const long = process.env.HEARTH_LONG === "1";
/** A server and its client programs of one version, as an operator installs them. */
const [programs] = globSync("/usr/{lib/postgresql/*,pgsql*,local/pgsql}/bin")
  .filter((folder) => ["postgres", "pg_dump", "pg_restore"].every((name) => globSync(join(folder, name)).length > 0))
  .sort()
  .reverse();
const skip = programs === undefined && process.env.CI !== "true" ? "PostgreSQL with pg_dump is not installed" : false;

let folder = "";
let anvil: Anvil | undefined;
let postgres: TestPostgres | undefined;
let s3: TestS3 | undefined;
const running: ChildProcess[] = [];
after(async () => {
  for (const program of running) program.kill("SIGKILL");
  await anvil?.stop("SIGKILL");
  await s3?.stop();
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
});

function command(script: string, args: string[], env: NodeJS.ProcessEnv): Promise<{ code: number; output: string }> {
  const path = `${programs}:${process.env.PATH}`;
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [`scripts/${script}.ts`, ...args],
      { env: { ...process.env, PATH: path, ...env } },
      (error, out, err) => resolve({ code: error === null ? 0 : Number(error.code), output: out + err }),
    );
  });
}

async function startApi(env: NodeJS.ProcessEnv, url: string): Promise<ChildProcess> {
  const program = spawn(process.execPath, ["scripts/api.ts"], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  killChildWithParent(program);
  running.push(program);
  let output = "";
  for (const stream of [program.stdout, program.stderr]) stream.on("data", (chunk) => (output += chunk));
  for (const until = Date.now() + 120_000; Date.now() < until; await sleep(100)) {
    assert.equal(program.exitCode, null, `the API ended:\n${output}`);
    const answer = await fetch(`${url}/health`).catch(() => undefined);
    await answer?.body?.cancel();
    if (answer?.status === 200) return program;
  }
  assert.fail(`The API did not start in two minutes:\n${output}`);
}

test("an installation on PostgreSQL and S3 is backed up under load and restored into new ones", {
  timeout: 900_000,
  skip,
}, async (t) => {
  folder = await mkdtemp(join(tmpdir(), "hearth-drill-"));
  anvil = await startAnvil();
  postgres = await startPostgres({ programs });
  s3 = await startS3();
  const [port] = (await freePorts(1)) as [number];
  const url = `http://127.0.0.1:${port}`;
  const secrets = join(folder, "secrets");
  const made = await command("secrets", [secrets], {});
  assert.equal(made.code, 0, made.output);
  const deployer = generatePrivateKey();
  const accounts = [...made.output.matchAll(/^(?:operator|registrar|evaluator) +(0x\w{40})$/gm)].map(([, it]) => it);
  for (const account of [...accounts, privateKeyToAccount(deployer).address])
    await anvil.rpc("anvil_setBalance", [account, `0x${(10n ** 21n).toString(16)}`]);
  const DEPLOYMENT = join(folder, "31337.json");
  const address = () => privateKeyToAccount(generatePrivateKey()).address;
  const council = [address(), address(), address()].join(",");
  const options = ["--rpc", anvil.url, "--out", DEPLOYMENT, "--secrets", secrets, "--guardian", address()];
  const deployed = await command("deploy", [...options, "--council", council], { DEPLOYER_KEY: deployer });
  assert.equal(deployed.code, 0, deployed.output);
  const system = async (name: string) => ({
    RPC_URL: anvil?.url,
    CHAIN_ID: "31337",
    DEPLOYMENT,
    SECRETS_DIR: secrets,
    DATABASE_URL: await postgres?.createDatabase(),
    BLOB_URL: await s3?.createBucket(),
    INDEXER_URL: "http://127.0.0.1:1",
    PUBLIC_URL: url,
    PORT: String(port),
    REQUESTS_PER_MINUTE: "1000000",
    FS_REQUESTS_PER_MINUTE: "1000000",
    DATA_DIR: join(folder, name),
  });
  const first = await system("first");
  const api = await startApi(first, url);
  const key = (await readFile(join(secrets, "ADMIN_API_KEY"), "utf8")).trim();
  const call = async (method: string, path: string, body?: object) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const answer = await fetch(`${url}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const { id: did } = (await (await fetch(`${url}/.well-known/did.json`)).json()) as { id: string };
  const bearer = `Bearer ${await mintToken({ issuer: await generateKey(), audience: did, abilities: ["fs/*"] })}`;
  const voucherId = await issueOneVoucher({ call }, 1_000_000);

  const files: { at: number; id: string; content: string }[] = [];
  let over = false;
  const load = [0, 1, 2].map(async () => {
    while (!over) {
      const redeemed = await call("POST", "/v1/vouchers/redeem", { voucherId, supplierDid, productId, amount: 1 });
      assert.ok([201, 202].includes(redeemed.status), JSON.stringify(redeemed));
      const content = randomUUID();
      const answer = await fetch(`${url}/api/fs/files?path=/${content}`, {
        method: "POST",
        headers: { authorization: bearer, "content-type": "text/plain" },
        body: content,
      });
      assert.equal(answer.status, 201);
      files.push({ at: Date.now(), id: ((await answer.json()) as { id: string }).id, content });
    }
  });
  await sleep(long ? 15_000 : 1_500);
  const backup = String(await s3.createBucket()).replace("/files", "/2026-11-26");
  const began = Date.now();
  const taken = await command("backup", [backup], first);
  assert.equal(taken.code, 0, taken.output);
  const tookMs = Date.now() - began;
  over = true;
  await Promise.all(load);
  api.kill("SIGKILL");

  const second = await system("second");
  const refused = await command("restore", [backup], { ...second, DATABASE_URL: first.DATABASE_URL });
  assert.equal(refused.code, 1);
  assert.match(refused.output, /DATABASE_URL names is not empty/);
  const restored = await command("restore", [backup], second);
  assert.equal(restored.code, 0, restored.output);
  const checked = await command("fsck", ["--scrub"], second);
  assert.equal(checked.code, 0, checked.output);
  const verified = await command("audit-verify", [], second);
  assert.equal(verified.code, 0, verified.output);
  await startApi(second, url);
  const before = files.filter(({ at }) => at < began);
  t.diagnostic(`${files.length} files written, ${before.length} before the backup, which took ${tookMs} ms`);
  assert.ok(before.length > 0);
  for (const { id, content } of before) {
    const answer = await fetch(`${url}/api/fs/files/${id}/content`, { headers: { authorization: bearer } });
    assert.equal(await answer.text(), content);
  }
  // The chain is ahead of the restored database: its accounts continue from the chain's nonces.
  const redeemed = await call("POST", "/v1/vouchers/redeem", { voucherId, supplierDid, productId, amount: 1 });
  assert.equal(redeemed.status, 201, JSON.stringify(redeemed));
});
