import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import pg from "pg";
import { outsideChain, startServers } from "../../../test/chaos/redemptions.ts";
import { freePort } from "../../../test/support/anvil.ts";
import type { ServerProcess } from "../../../test/support/api-server.ts";
import { createTestWorld, type TestWorld } from "../../../test/support/chain.ts";
import { testAdminKey } from "../../../test/support/core.ts";
import { startPostgres, type TestPostgres } from "../../../test/support/postgres.ts";
import { createSecretBox, sealingKeyId, sealingKeysOf } from "../secret-box.ts";

const fileOf = (name: string) => fileURLToPath(new URL(`../../../${name}`, import.meta.url));
const next = randomBytes(32).toString("hex");
let postgres: TestPostgres;
let world: TestWorld;
let database: pg.Pool;
/** Variables that all processes have. */
let shared: Record<string, string>;
let one: ServerProcess;
let other: ServerProcess;

before(async () => {
  [postgres, world] = await Promise.all([startPostgres(), createTestWorld()]);
  const url = await postgres.createDatabase();
  const secret = () => randomBytes(32).toString("hex");
  shared = { ...outsideChain(world), DATABASE_URL: url, SERVICE_KEY: secret(), VFS_KEK: secret() };
  [one, other] = (await startServers(world, url, 2, shared)) as [ServerProcess, ServerProcess];
  database = new pg.Pool({ connectionString: url });
});
after(async () => {
  await database?.end();
  for (const server of [one, other]) await server?.stop("SIGKILL");
  await world?.close();
  await postgres?.stop();
});

/** The command, with the variables of the processes. */
function startRotation(): { child: ChildProcess; output: () => string } {
  const env = { ...process.env, ...shared, DATA_DIR: world.dataDir, BLOB_URL: `file://${world.dataDir}/shared-files` };
  const child = spawn(process.execPath, [fileOf("scripts/rotate-sealing-key.ts")], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (bytes) => (output += String(bytes)));
  return { child, output: () => output };
}

const did = (name: string) => `did:ixo:household/${name}`;
const phone = (name: string, number: string) => ({ householdDid: did(name), number, language: "en" });
const numbersOf = async (server: ServerProcess, name: string) => {
  const { status, body } = await server.call("GET", `/v1/phones?householdDid=${encodeURIComponent(did(name))}`);
  assert.equal(status, 200, JSON.stringify(body));
  return (body.items as { number: string; householdDid: string }[]).map(({ number }) => number);
};
const count = async (statement: string, values: unknown[] = []): Promise<number> =>
  Number((await database.query(statement, values)).rows[0]?.count);

test("a process does not start with a sealing key that the others lack", async () => {
  assert.equal((await one.call("POST", "/v1/households", { did: did("first"), region: "Lusaka" })).status, 201);
  assert.equal((await one.call("POST", "/v1/phones", phone("first", "+260970000001"))).status, 201);
  const env = { ...process.env, ...shared, DATA_DIR: world.dataDir, BLOB_URL: `file://${world.dataDir}/shared-files` };
  const started = promisify(execFile)(process.execPath, [fileOf("api/main.ts")], {
    env: {
      ...env,
      ADMIN_API_KEY: testAdminKey,
      LOG_LEVEL: "silent",
      PORT: String(await freePort()),
      SEALING_KEY: next,
    },
  });
  await assert.rejects(
    started,
    /SEALING_KEY: is not known to 2 other API processes\. First start each process with it/,
  );
});

test("two processes with different sealing keys read each other's rows, and register nothing twice", async () => {
  for (const server of [one, other]) await server.restart({ SEALING_KEYS_PREVIOUS: next });
  await one.restart({ SEALING_KEY: next, SEALING_KEYS_PREVIOUS: undefined });
  for (let i = 0; i < 5; i++) {
    const name = `both-${i}`;
    const household = { did: did(name), region: "Lusaka" };
    const registered = await Promise.all([one, other].map((each) => each.call("POST", "/v1/households", household)));
    assert.ok(
      registered.some(({ status }) => status === 201),
      JSON.stringify(registered),
    );
    assert.equal(await count("select count(*) from households where did = $1", [did(name)]), 1);
    const number = `+26097100000${i}`;
    const phones = await Promise.all([one, other].map((each) => each.call("POST", "/v1/phones", phone(name, number))));
    assert.deepEqual(phones.map(({ status }) => status).toSorted(), [201, 409], JSON.stringify(phones));
    const later = await Promise.all([one, other].map((each) => each.call("POST", "/v1/phones", phone(name, number))));
    assert.deepEqual(
      later.map(({ status }) => status),
      [409, 409],
    );
    for (const each of [one, other]) assert.deepEqual(await numbersOf(each, name), [number]);
  }
  for (const [server, name] of [
    [one, "by-one"],
    [other, "by-other"],
  ] as const) {
    assert.equal((await server.call("POST", "/v1/households", { did: did(name), region: "Kafue" })).status, 201);
    const number = `+2609720000${name.length}`;
    assert.equal((await server.call("POST", "/v1/phones", phone(name, number))).status, 201);
    for (const each of [one, other]) assert.deepEqual(await numbersOf(each, name), [number]);
  }
  const named = "select count(*) from phones where sealed_number like '%.%'";
  assert.ok((await count(named)) > 0 && (await count(named)) < (await count("select count(*) from phones")));
});

test("a rotation that is killed between two values is ended by the next one, while the processes serve", async () => {
  await other.restart({ SEALING_KEY: next, SEALING_KEYS_PREVIOUS: undefined });
  shared = { ...shared, SEALING_KEY: next };
  const box = createSecretBox(sealingKeysOf(shared.SCHEME_KEY as string), "room");
  const rows = Array.from({ length: 30_000 }, (_, i) => [
    box.hash(`${i}`),
    box.seal(`+26098${i}`),
    box.seal(did("first")),
  ]);
  await database.query(
    `insert into phones (number_hash, sealed_number, household_hash, sealed_household, language, registered_by, created_at)
     select hash, number, 'filled', household, 'en', 'test', now()
     from unnest($1::text[], $2::text[], $3::text[]) as given (hash, number, household)`,
    [0, 1, 2].map((column) => rows.map((row) => row[column])),
  );
  let isOver = false;
  const failures: unknown[] = [];
  const clients = [one, other].map(async (server) => {
    while (!isOver) {
      const numbers = await numbersOf(server, "first").catch((error: unknown) => [String(error)]);
      if (numbers.join() !== "+260970000001") failures.push(numbers);
    }
  });
  try {
    const outdated = `select count(*) from phones where sealed_number not like '${sealingKeyId(next)}.%'`;
    const killed = startRotation();
    while ((await count(outdated)) > rows.length - 2_000) assert.equal(killed.child.exitCode, null, killed.output());
    killed.child.kill("SIGKILL");
    await once(killed.child, "exit");
    const left = await count(outdated);
    assert.ok(left > 0, "it was killed between two values");
    const again = startRotation();
    const [code] = await once(again.child, "exit");
    assert.equal(code, 0, again.output());
    assert.match(again.output(), new RegExp(`phones\\.sealed_number: ${left}\\n`));
    assert.match(again.output(), /\d+ secrets sealed with the new key\.\n$/);
    assert.equal(await count(outdated), 0);
  } finally {
    isOver = true;
    await Promise.all(clients);
  }
  assert.deepEqual(failures, []);
  assert.deepEqual(await numbersOf(one, "first"), ["+260970000001"]);
});
