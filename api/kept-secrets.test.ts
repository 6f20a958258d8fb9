import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { sql } from "drizzle-orm";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { exampleCampaign, registerPlans } from "../test/support/campaigns.ts";
import { createTestWorld } from "../test/support/chain.ts";
import { testAdminKey } from "../test/support/core.ts";
import { startPostgres } from "../test/support/postgres.ts";
import type { RegistryTest } from "../test/support/registry.ts";
import { newProofKey, WalletClient } from "../test/support/sessions.ts";
import { openApp } from "./app.ts";
import type { Database } from "./platform/db/client.ts";
import type { App } from "./platform/http/context.ts";
import { createLog } from "./platform/log.ts";
import { generateKey, mintToken } from "./platform/ucan/mint.ts";

type Body = Record<string, unknown>;
type Answered = { status: number; body: Body; text: string };
const url = "https://example.org/hook";

/** An API whose log is kept; `end` closes it and answers where its database lies. */
async function openRun(databaseUrl: string | undefined) {
  const world = await createTestWorld();
  const config = world.config({
    ADMIN_API_KEY: testAdminKey,
    LOG_LEVEL: "trace",
    TRUST_PROXY: "1",
    ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
  });
  const lines: string[] = [];
  const { app, deps, close } = await openApp(config, createLog(config, { write: (line) => void lines.push(line) }));
  const call = async (method: string, path: string, body?: Body, headers: Record<string, string> = {}) => {
    const init = { method, headers: { authorization: `Bearer ${testAdminKey}`, ...headers } };
    const answer = await app.request(path, body === undefined ? init : { ...init, body: JSON.stringify(body) });
    const text = await answer.text();
    return { status: answer.status, body: text.startsWith("{") ? JSON.parse(text) : {}, text } as Answered;
  };
  return { world, deps, app, call, close, lines };
}
type Run = Awaited<ReturnType<typeof openRun>>;

/** Makes every kind of secret by the API's own doors, uses it, and puts keys where they do not belong. */
async function makeSecrets({ app, call, deps }: Run): Promise<string[]> {
  const once = (key: string) => ({ "idempotency-key": key });
  const key = await call("POST", "/v1/keys", { role: "regulator", name: "one" }, once("key-1"));
  const made = await call("POST", "/v1/webhooks", { url, events: ["*"] }, once("hook-1"));
  const given = "whsec_a-secret-that-somebody-brought-along";
  const brought = await call("POST", "/v1/webhooks", { url, events: ["*"], secret: given }, once("hook-2"));
  for (const answer of [key, made, brought]) assert.equal(answer.status, 201, answer.text);
  const admin = async (method: string, path: string, body?: Body) => await call(method, `/v1${path}`, body);
  await registerPlans({ admin } as unknown as RegistryTest);
  const campaign = exampleCampaign({ sampleSize: 1 }, 1);
  const { reference, intervention } = campaign.groups;
  for (const did of [...reference.frame, ...intervention.frame]) await admin("POST", "/households", { did });
  await admin("POST", "/campaigns", campaign as unknown as Body);
  const tokenPath = `/v1/campaigns/${campaign.campaignId}/evidence-token`;
  const evidence = await call("POST", tokenPath, {}, once("evidence-1"));
  assert.equal(evidence.status, 201, evidence.text);
  for (const [path, body, name, id] of [
    ["/v1/keys", { role: "regulator", name: "one" }, "key-1", key.body.id],
    ["/v1/webhooks", { url, events: ["*"] }, "hook-1", made.body.id],
    [tokenPath, {}, "evidence-1", undefined],
  ] as [string, Body, string, string | undefined][]) {
    const again = await call("POST", path, body, once(name));
    assert.deepEqual([again.status, again.body.id], [409, id], again.text);
    assert.equal((again.body.details as { rule: string }[])[0]?.rule, "secret-shown-once");
    if (id !== undefined) assert.match(String(again.body.message), new RegExp(id));
  }
  const hooks = await call("GET", "/v1/webhooks");
  assert.equal((hooks.body.items as unknown[]).length, 2);
  const person = { name: "Maria", collectorDid: "did:key:z6MkMaria", implementerDid: "did:ixo:implementer/1" };
  const collector = await call("POST", "/v1/odk/collectors", { ...person, forms: ["household"] }, once("collector-1"));
  assert.equal(collector.status, 201, collector.text);
  const { pathname } = new URL(String(collector.body.url));
  assert.equal((await app.request(`${pathname}/formList`)).status, 200);
  for (const path of [`${pathname}/none`, `${pathname}x/formList`]) assert.ok((await app.request(path)).status >= 403);
  const token = "a-token-of-a-kobo-account-that-somebody-gave";
  const kobo = { ...person, serverUrl: "https://10.0.0.1", assetUid: "aProject", form: "household", token };
  assert.equal((await call("POST", "/v1/kobo/connections", kobo, once("kobo-1"))).status, 400);
  const api = {
    kind: "airtel-money",
    url: "https://partner.example",
    clientId: "client",
    clientSecret: "the-client-secret-of-the-partner",
    encryptedPin: "the-encrypted-pin-of-the-partner",
    country: "ZM",
    callingCode: "260",
  };
  const account = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
  const payer = { name: "Airtel", account, currency: "ZMW", api };
  const partner = await call("POST", "/v1/payouts/partners", payer, once("partner-1"));
  assert.equal(partner.status, 201, partner.text);
  const callback = new URL(String(partner.body.callbackUrl)).pathname;
  assert.equal((await app.request(callback, { method: "POST", body: "{}" })).status, 204);
  assert.equal((await app.request(`${callback}x`, { method: "POST", body: "{}" })).status, 403);
  const session = await signIn(app);
  const files = await mintToken({
    issuer: await generateKey(),
    audience: deps.files.identity.did,
    abilities: ["fs/*"],
  });
  const put = await call("PUT", "/api/fs/files/note.txt", { text: "x" }, { authorization: `Bearer ${files}` });
  assert.ok(put.status < 500, put.text);
  const secrets = [
    testAdminKey,
    String(key.body.key),
    String(made.body.secret),
    given,
    String(evidence.body.token),
    files,
    pathname.slice(pathname.lastIndexOf("/") + 1),
    String(collector.body.settings),
    token,
    callback.slice(callback.lastIndexOf("/") + 1),
    api.clientSecret,
    api.encryptedPin,
  ];
  // Where people put keys by mistake: paths, queries, and fields that are refused.
  for (const secret of secrets.slice(0, 3)) {
    await call("GET", `/v1/keys/${encodeURIComponent(secret)}`);
    await call("GET", `/v1/keys?api_key=${encodeURIComponent(secret)}`);
    await call("POST", "/v1/keys", { role: "regulator", name: "x", key: secret });
  }
  return [...secrets, ...session];
}

/** The session's token, and the proof of one request. */
async function signIn(app: App): Promise<string[]> {
  const account = privateKeyToAccount(generatePrivateKey());
  const wallet = new WalletClient(app, account, { now: () => new Date(), proofKey: await newProofKey() });
  await wallet.signIn();
  const headers = await wallet.prove("GET", "/sessions/self");
  const answer = await app.request("http://127.0.0.1:3000/v1/sessions/self", { headers });
  assert.equal(answer.status, 200);
  await app.request(`http://127.0.0.1:3000/v1/keys/${wallet.token}`, { headers: await wallet.prove("GET", "/x") });
  return [wallet.token, headers.dpop];
}

/** Every file below a folder but the keys that stand for themselves. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.filter((path) => !path.startsWith(join(folder, "keys")));
}

/** PostgreSQL still runs and may delete its files; a deleted file contains no secret. */
async function readUnlessGone(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return Buffer.alloc(0);
    throw error;
  }
}

/** The database as a backup tells it: every row as text, whatever its pages compress. */
async function dump(db: Database): Promise<string> {
  const { rows } = await db.execute<{ name: string }>(
    sql`select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables where schemaname not in ('pg_catalog', 'information_schema')`,
  );
  const tables: string[] = [];
  for (const { name } of rows) {
    const { rows: kept } = await db.execute<{ row: string }>(
      sql`select to_jsonb(t)::text as row from ${sql.raw(name)} t`,
    );
    tables.push(...kept.map(({ row }) => row));
  }
  return tables.join("\n");
}

/** Find which secrets can be read where. The id within a key or token is not secret. */
async function findSecrets(secrets: string[], texts: Map<string, () => Promise<Buffer>>): Promise<string[]> {
  const wanted = secrets.map((secret) => secret.replace(/^h[gks]_[a-z0-9]{12}_/, ""));
  const found: string[] = [];
  for (const [name, read] of texts) {
    const bytes = await read();
    for (const secret of wanted) if (bytes.includes(secret)) found.push(`${name}: ${secret.slice(0, 12)}…`);
  }
  return found;
}

async function assertNothingKept(run: Run, databaseFolder?: string): Promise<void> {
  const secrets = await makeSecrets(run);
  const backup = await dump(run.deps.db);
  assert.match(backup, /idempotency|key-1/);
  await run.close();
  const texts = new Map<string, () => Promise<Buffer>>([
    ["log", async () => Buffer.from(run.lines.join(""))],
    ["backup", async () => Buffer.from(backup)],
  ]);
  const folders = [run.world.dataDir, ...(databaseFolder === undefined ? [] : [databaseFolder])];
  for (const folder of folders)
    for (const path of await filesBelow(folder)) texts.set(path, () => readUnlessGone(path));
  assert.ok(texts.size > 20 && run.lines.length > 10);
  assert.deepEqual(await findSecrets(secrets, texts), []);
}

describe("keys, secrets and tokens that were shown once", () => {
  const closers: (() => Promise<unknown>)[] = [];
  const closeAtEnd = ({ world, close }: Run) => closers.push(() => world.close(), close);
  after(async () => {
    for (const close of closers.reverse()) await close();
  });

  it("are in no file, log or backup of an embedded database", async () => {
    const run = await openRun(undefined);
    closeAtEnd(run);
    await assertNothingKept(run);
  });

  it("are in no file, log or backup of a PostgreSQL", async () => {
    const postgres = await startPostgres();
    closers.push(() => postgres.stop());
    const run = await openRun(await postgres.createDatabase());
    closeAtEnd(run);
    const { rows } = await run.deps.db.execute<{ data_directory: string }>(sql`show data_directory`);
    await assertNothingKept(run, rows[0]?.data_directory);
  });
});
