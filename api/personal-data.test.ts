import assert from "node:assert/strict";
import type { Server } from "node:http";
import { after, before, test } from "node:test";
import { createAdaptorServer } from "@hono/node-server";
import { sql } from "drizzle-orm";
import { type Call, Narrator } from "../scripts/demo/narrator.ts";
import { issueVouchers, registerParticipants } from "../scripts/demo/story.ts";
import { createTestWorld, type TestWorld } from "../test/support/chain.ts";
import { testAdminKey } from "../test/support/core.ts";
import { freePorts } from "../test/support/ports.ts";
import { openApp } from "./app.ts";
import type { Deps } from "./compose.ts";
import { loggedPath } from "./platform/http/logged-path.ts";
import { createLog } from "./platform/log.ts";
import { secretKinds } from "./platform/secret-text.ts";

type Told = { method: string; path: string; call: Call };

/** What follows asks the index, which is not there. */
class EndOfPartError extends Error {}

/** Tells without printing, and remembers what it sent. */
class QuietNarrator extends Narrator {
  readonly told: Told[] = [];
  override step(): void {}
  override note(): void {}
  override until(): never {
    throw new EndOfPartError();
  }
  override call(method: string, path: string, call: Call) {
    this.told.push({ method, path, call });
    return super.call(method, path, { ...call, quiet: true });
  }
}

let world: TestWorld;
let deps: Deps;
let close: () => Promise<void>;
let server: Server;
let url: string;
let tell: QuietNarrator;
let logged = "";
before(async () => {
  world = await createTestWorld();
  const [port] = (await freePorts(1)) as [number];
  url = `http://127.0.0.1:${port}`;
  const env = { ADMIN_API_KEY: testAdminKey, PORT: String(port), REQUESTS_PER_MINUTE: "100000" };
  const config = world.config(env);
  const write = (line: string) => {
    logged += line;
  };
  const opened = await openApp(config, createLog({ logLevel: "debug" }, { write }));
  ({ deps, close } = opened);
  server = createAdaptorServer({ fetch: opened.app.fetch }) as Server;
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  tell = new QuietNarrator(url, { isVerbose: false });
});
after(async () => {
  server?.closeAllConnections();
  server?.close();
  await close?.();
  await world?.close();
});

/** What the demo sent about people: DIDs, regions and accounts. */
function personalData(): Set<string> {
  const sent = tell.told.map(({ path, call }) => {
    const body = typeof call.body === "string" ? call.body : JSON.stringify(call.body ?? "");
    return `${decodeURIComponent(path)} ${body}`;
  });
  const text = sent.join("\n");
  const regions = [...text.matchAll(/"region":"([^"]+)"/g)].map(([, region]) => region ?? "");
  const rows = text.split("\n").flatMap((line) => (line.startsWith("did:") ? line.split(",") : []));
  const found = text.match(/did:[a-z]+:[^\s",]+|0x[0-9a-fA-F]{40}\b/g) ?? [];
  return new Set([...found, ...regions, ...rows].filter((each) => each.length > 4 && !/^[\d.-]+$/.test(each)));
}

/** Send every request of the demo again, and all that it would read; what was answered with a fault of ours. */
async function tellAgain(): Promise<string[]> {
  const faults: string[] = [];
  const seen = [...new Map(tell.told.map((told) => [`${told.method} ${told.path}`, told])).values()];
  const reads = [...personalData()].filter((each) => each.startsWith("did:")).slice(0, 3);
  const asked = reads.map((did) => ({
    method: "GET",
    path: `/v1/households/${encodeURIComponent(did)}`,
    call: {} as Partial<Call>,
  }));
  for (const { method, path, call } of [...seen, ...asked]) {
    const text = typeof call.body === "string";
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${testAdminKey}`,
        ...(call.body === undefined
          ? {}
          : { "content-type": call.contentType ?? (text ? "text/csv" : "application/json") }),
      },
      ...(call.body === undefined ? {} : { body: text ? (call.body as string) : JSON.stringify(call.body) }),
    });
    const said = await answer.text();
    if (answer.status >= 500) faults.push(said);
  }
  return faults;
}

function assertImpersonal(texts: readonly string[], what: string): void {
  const personal = personalData();
  assert.ok(personal.size > 20, `${personal.size} values`);
  for (const text of texts) {
    const found = [...personal].filter((each) => text.includes(each));
    assert.deepEqual(found, [], `${what}: ${text.slice(0, 2_000)}`);
  }
}

const lines = () => logged.trimEnd().split("\n");

test("logs nobody's DID, region or account while the demo runs, nor when the database or the chain fails under it", async () => {
  const cast = await registerParticipants(tell, { name: "admin", key: testAdminKey }, "TEST");
  await assert.rejects(issueVouchers(tell, cast, world.dataDir), EndOfPartError);
  assert.ok(lines().length > 10);
  assertImpersonal(lines(), "a log of the demo");

  const { rows } = (await deps.db.execute(
    sql`select tablename as name from pg_tables where schemaname = 'public' and tablename not like '%key%'`,
  )) as unknown as { rows: { name: string }[] };
  const rename = async (from: string, to: string) =>
    void (await deps.db.execute(sql`alter table ${sql.identifier(from)} rename to ${sql.identifier(to)}`));
  for (const { name } of rows) await rename(name, `${name}_gone`);
  logged = "";
  const withoutDatabase = await tellAgain();
  assert.ok(withoutDatabase.length > 3, `${withoutDatabase.length} faults`);
  assert.match(logged, /Failed query/);
  assertImpersonal([...withoutDatabase, ...lines()], "without a database");

  for (const { name } of rows) await rename(`${name}_gone`, name);
  await world.anvil.stop("SIGKILL");
  logged = "";
  const withoutChain = await tellAgain();
  assertImpersonal([...withoutChain, ...lines()], "without a chain");
});

test("keeps the values of a statement and of a call out of the log, whatever the error carries", () => {
  let line = "";
  const write = (text: string) => {
    line += text;
  };
  const log = createLog({ logLevel: "info" }, { write });
  const did = "did:ixo:household/secret";
  const cause = Object.assign(new Error(`duplicate key of ${did}`), { detail: `Key (did)=(${did})`, code: "23505" });
  const failed = Object.assign(new Error(`Failed query: insert\nparams: ${did},Lusaka`, { cause }), {
    query: "insert into households values ($1, $2)",
    params: [did, "Lusaka"],
  });
  const account = `0x${"ab".repeat(20)}`;
  const reverted = Object.assign(new Error(`Request Arguments: from ${account}, region Lusaka`), {
    shortMessage: `The call of ${account} was reverted.`,
    args: [account, "Lusaka"],
  });
  log.error({ err: failed }, "one");
  log.error({ err: reverted }, "two");
  assert.doesNotMatch(line, /secret|Lusaka|abab/);
  assert.match(line, /insert into households values \(\$1, \$2\)/);
  assert.match(line, /23505/);
  assert.match(line, /The call of \[address\] was reverted\./);
  assert.match(line, /personal-data\.test\.ts/);
});

test("logs no secret of any kind that a message holds by mistake", () => {
  let line = "";
  const write = (text: string) => {
    line += text;
  };
  const log = createLog({ logLevel: "info" }, { write });
  for (const kind of secretKinds) log.info(`called with ${kind}_abcdefghij12_${"S".repeat(43)}`);
  assert.doesNotMatch(line, /S{43}/);
});

test("logs a path without whom it names", () => {
  const address = `0x${"Ab".repeat(20)}`;
  assert.equal(loggedPath("/v1/households/did:ixo:household%2F123/vouchers"), "/v1/households/:did/vouchers");
  assert.equal(loggedPath("/v1/households/did%3Aixo%3Ahousehold%2F123"), "/v1/households/:did");
  assert.equal(loggedPath(`/v1/accounts/${address}`), "/v1/accounts/:address");
  for (const card of ["40718293651", "HC1:40718293651:5", "4071%208293%206515"]) {
    assert.equal(loggedPath(`/v1/cards/${card}/block`), "/v1/cards/:card/block");
  }
  assert.equal(loggedPath("/v1/cards/lookup"), "/v1/cards/lookup");
  assert.equal(loggedPath("/v1/devices/STOVE%207"), "/v1/devices/:serial");
  assert.equal(loggedPath("/v1/devices/import"), "/v1/devices/import");
  assert.equal(loggedPath("/v1/odk/submissions/01KQ/files/maria.jpg"), "/v1/odk/submissions/01KQ/files/:name");
  assert.equal(loggedPath("/api/fs/files/%2Fhomes%2Fmaria.jpg/content"), "/api/fs/files/:path/content");
  const id = "01KAZ5T6Q4M7R8S9T0V1W2X3Y4";
  for (const path of [id, `${id}/versions/3/content`, `${id}/edit`]) {
    assert.equal(loggedPath(`/api/fs/files/${path}`), `/api/fs/files/${path}`);
  }
  assert.equal(loggedPath(`/public/id/${id}`), `/public/id/${id}`);
  assert.equal(loggedPath("/public/did%3Akey%3Az6Mk/homes/maria.jpg"), "/public/:path");
});
