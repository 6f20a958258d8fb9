// The programs of compose.yaml without containers: the same commands with the same variables, each host name replaced by a port of
// this machine. On Linux as root they run as another user on a file system that can only be read, as in the container.
import assert from "node:assert/strict";
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import { chmod, chown, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import S3rver from "s3rver";
import { anvilPath } from "../../scripts/embedded-chain.ts";
import { issueOneVoucher, productId, supplierDid } from "../e2e/scheme.ts";
import { type ComposeService, copiedPaths, readCompose, variablesOf } from "../support/compose.ts";
import { killChildWithParent } from "../support/parent-watchdog.ts";
import { freePorts } from "../support/ports.ts";
import { startPostgres, type TestPostgres } from "../support/postgres.ts";

const { services } = readCompose();
const nginx = ["/usr/sbin/nginx", "/usr/bin/nginx"].find((path) => spawnSync(path, ["-v"]).status === 0);
/** The user of the image. */
const user = 1000;
const mayMount = spawnSync("unshare", ["--mount", "true"]).status === 0 && process.getuid?.() === 0;

let folder = "";
let postgres: TestPostgres | undefined;
let s3: S3rver | undefined;
const running: ChildProcess[] = [];
after(async () => {
  for (const program of running) program.kill("SIGKILL");
  await s3?.close();
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
});

/**
 * Enter a file system that has only what the Dockerfile copies, and can only be read, as the user of the image.
 * The shell gets the command as its arguments.
 */
function container(): string {
  const paths = [...copiedPaths(), "node_modules"];
  const copy = (path: string) =>
    statSync(path).isDirectory()
      ? `mkdir -p "$app/${path}" && mount --bind ${path} "$app/${path}" && mount -o remount,ro,bind "$app/${path}"`
      : `cp ${path} "$app/${path}"`;
  const steps = [
    'mount -t tmpfs -o mode=755 none "$app"',
    ...paths.map(copy),
    'mount -o remount,ro "$app"',
    'cd "$app"',
  ];
  const asUser = `setpriv --reuid=${user} --regid=${user} --clear-groups`;
  return `app=${join(folder, "app")}; ${steps.join(" && ")} && exec ${asUser} "$@"`;
}

/** Run a command as compose runs a service; its output is collected. */
function start(command: readonly string[], env: NodeJS.ProcessEnv): { child: ChildProcess; said: () => string } {
  const [program = "", ...args] = mayMount
    ? ["unshare", "--mount", "sh", "-c", container(), "sh", process.execPath, ...command.slice(1)]
    : [process.execPath, ...command.slice(1)];
  const child = spawn(program, args, { env: { PATH: process.env.PATH, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  killChildWithParent(child);
  running.push(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => (output += chunk));
  return { child, said: () => output };
}

async function runToEnd(command: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const { child, said } = start(command, env);
  const code = child.exitCode ?? (await new Promise((resolve) => child.once("exit", resolve)));
  assert.equal(code, 0, `${command.join(" ")}:\n${said()}`);
}

async function until(what: string, isTrue: () => Promise<boolean>, said: () => string = () => ""): Promise<void> {
  for (const end = Date.now() + 180_000; Date.now() < end; await sleep(200)) if (await isTrue()) return;
  assert.fail(`${what} did not come:\n${said()}`);
}

const answers = (url: string) => async () => {
  const answer = await fetch(url).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.status === 200;
};

test("the programs of compose.yaml form a system behind the proxy", {
  timeout: 900_000,
  skip: nginx === undefined && process.env.CI !== "true" ? "nginx is not installed" : false,
}, async () => {
  folder = await mkdtemp(join(tmpdir(), "hearth-compose-"));
  await chmod(folder, 0o755);
  const [chain, bucket, index, first, second, proxy] = (await freePorts(6)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const database = await startPostgres();
  postgres = database;
  const databaseUrl = new URL(await database.createDatabase());
  const admin = new pg.Client({ connectionString: databaseUrl.href });
  await admin.connect();
  // The server's own user is called hearth here.
  for (const statement of readFileSync("docker/postgres.sql", "utf8")
    .replaceAll(/^--.*$/gm, "")
    .split(";"))
    if (statement.trim() !== "")
      await admin.query(statement.replace("create role hearth login", "alter role hearth login"));
  await admin.end();
  s3 = new S3rver({
    port: bucket,
    address: "127.0.0.1",
    silent: true,
    directory: join(folder, "s3"),
    vhostBuckets: false,
  });
  await s3.run();

  const hosts: Record<string, string> = {
    "chain:8545": `127.0.0.1:${chain}`,
    "postgres:5432": databaseUrl.host,
    "indexer:42069": `127.0.0.1:${index}`,
    "s3%3A9000": `127.0.0.1%3A${bucket}`,
    "localhost:8080": `127.0.0.1:${proxy}`,
    "/deployment/": `${folder}/deployment/`,
    "/secrets": `${folder}/secrets`,
  };
  for (const name of [
    "app",
    "deployment",
    "secrets",
    "data-api-1",
    "data-api-2",
    "data-indexer",
    "data-migrate",
    "data-trial",
  ]) {
    mkdirSync(join(folder, name));
    if (mayMount) await chown(join(folder, name), user, user);
  }
  const environment = (name: string, service: ComposeService) => {
    const entries = Object.entries(variablesOf(service)).map(([key, value]) => {
      let changed = value;
      for (const [from, to] of Object.entries(hosts)) changed = changed.replace(from, to);
      return [key, changed] as const;
    });
    return {
      ...Object.fromEntries(entries),
      // Nobody receives traces in this test.
      OTEL_EXPORTER_OTLP_ENDPOINT: "",
      // s3rver knows this account only.
      AWS_ACCESS_KEY_ID: "S3RVER",
      AWS_SECRET_ACCESS_KEY: "S3RVER",
      HOST: "127.0.0.1",
      DATA_DIR: join(folder, `data-${name}`),
      TMPDIR: join(folder, `data-${name}`),
      REQUESTS_PER_MINUTE: "1000000",
    };
  };
  const service = (name: string) => {
    const found = services[name];
    assert.ok(found, name);
    return found;
  };

  const { command: flags = [] } = service("chain");
  const own: Record<string, string> = {
    "0.0.0.0": "127.0.0.1",
    "8545": String(chain),
    "/chain/state.json": join(folder, "chain.json"),
  };
  const anvil = spawn(
    anvilPath(),
    flags.map((flag) => own[flag] ?? flag),
    { stdio: "ignore" },
  );
  killChildWithParent(anvil);
  running.push(anvil);
  const ask = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}',
  };
  await until(
    "the chain",
    async () => (await fetch(`http://127.0.0.1:${chain}`, ask).catch(() => undefined))?.ok === true,
  );
  for (const name of ["trial", "migrate"])
    await runToEnd(service(name).command ?? [], environment(name, service(name)));
  const indexer = start(service("indexer").command ?? [], {
    ...environment("indexer", service("indexer")),
    INDEXER_PORT: String(index),
  });
  // Docker takes the image's command.
  const image = /^CMD (\[.*\])$/m.exec(readFileSync("Dockerfile", "utf8"))?.[1] ?? "[]";
  const apis = [first, second].map((port, at) => {
    const name = `api-${at + 1}`;
    return start(JSON.parse(image) as string[], { ...environment(name, service(name)), PORT: String(port) });
  });
  await until("the indexer", answers(`http://127.0.0.1:${index}/ready`), indexer.said);
  for (const [at, port] of [first, second].entries())
    await until(`api-${at + 1}`, answers(`http://127.0.0.1:${port}/ready`), apis[at]?.said);

  const conf = readFileSync("docker/nginx.conf", "utf8")
    .replace("server api-1:3000", `server 127.0.0.1:${first}`)
    .replace("server api-2:3000", `server 127.0.0.1:${second}`)
    .replace("listen 8080", `listen 127.0.0.1:${proxy}`)
    .replaceAll(" /tmp/", ` ${folder}/`);
  await writeFile(join(folder, "nginx.conf"), conf);
  const gate = spawn(nginx ?? "nginx", ["-c", join(folder, "nginx.conf"), "-g", "daemon off;"], { stdio: "ignore" });
  killChildWithParent(gate);
  running.push(gate);
  await until("the proxy", answers(`http://127.0.0.1:${proxy}/health`));

  const key = (await readFile(join(folder, "secrets/ADMIN_API_KEY"), "utf8")).trim();
  const call = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`http://127.0.0.1:${proxy}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const voucherId = await issueOneVoucher({ call }, 100);
  const redeemed = await call("POST", "/v1/vouchers/redeem", { voucherId, supplierDid, productId, amount: 10 });
  assert.equal(redeemed.status, 201, JSON.stringify(redeemed));
  assert.equal((await fetch(`http://127.0.0.1:${proxy}/metrics`)).status, 404, "metrics are not public");

  apis[0]?.child.kill("SIGTERM");
  await until(
    "the other API",
    async () => (await call("GET", `/v1/redemptions?voucherId=${encodeURIComponent(voucherId)}`)).status === 200,
  );
});
