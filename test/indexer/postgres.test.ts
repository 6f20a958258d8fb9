import assert from "node:assert/strict";
import { get } from "node:http";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import pg from "pg";
import * as schema from "../../indexer/ponder.schema.ts";
import { prepareReadingRole, readerUrlOf } from "../../indexer/reader/reading-role.ts";
import { startPostgres, type TestPostgres } from "../support/postgres.ts";
import { fuzzDoors } from "./door-fuzz.ts";
import { type Indexer, startIndexerOn, waitForBlock } from "./ponder-process.ts";
import { countsOf, readAllRows } from "./rows.ts";
import { issueBatch, registerParticipants } from "./story.ts";
import { createWorld, type World } from "./world.ts";

const isLong = process.env.HEARTH_LONG === "1";
const seed = Number(process.env.FUZZ_SEED ?? (isLong ? Date.now() % 2 ** 31 : 20_261_123));

describe("an index in PostgreSQL", () => {
  let postgres: TestPostgres;
  let databaseUrl: string;
  let world: World;
  const worlds: World[] = [];
  const running: Indexer[] = [];

  before(async () => {
    postgres = await startPostgres();
    databaseUrl = await postgres.createDatabase();
    world = await createWorld();
    worlds.push(world);
    await registerParticipants(world, 60);
  });
  after(async () => {
    for (const indexer of running) await indexer.stop("SIGKILL");
    for (const each of worlds) await each.close();
    await postgres?.stop();
  });

  it("has the same rows as the embedded one, live and from the past", async () => {
    const live = await startIndexerOn(world, join(world.folder, "postgres"), {
      databaseUrl,
      statementMs: 5_000,
      requestsPerMinute: 1_000_000,
    });
    running.push(live);
    await issueBatch(world, "CERT-1", 60, 1n);
    const embedded = await startIndexerOn(world, join(world.folder, "embedded"), { requestsPerMinute: 1_000_000 });
    running.push(embedded);
    const height = BigInt((await world.anvil.rpc("eth_blockNumber")) as string);
    await waitForBlock(live, height);
    await waitForBlock(embedded, height);
    const rows = await readAllRows(live);
    assert.equal(countsOf(rows).voucher, 60);
    assert.deepEqual(rows, await readAllRows(embedded));
    const [count] = await live.client.db.select({ id: schema.voucher.id }).from(schema.voucher).limit(1);
    assert.equal(typeof count?.id, "bigint");
  });

  it("ends a statement that takes too long, and answers others meanwhile", async () => {
    const [live] = running;
    const heavy = "select count(*) from voucher a, voucher b, voucher c, voucher d, voucher e, voucher f";
    // Only the API's own word passes the price; it does not pass the clock.
    const ask = (sql: string) => {
      const json = encodeURIComponent(JSON.stringify({ json: { sql, params: [] } }));
      return fetch(`${live?.url}/sql/db?token=a%20token%20of%20the%20tests&sql=${json}`);
    };
    let isOver = false;
    const begin = performance.now();
    const slow = ask(heavy).finally(() => {
      isOver = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 200));
    const trace = await fetch(`${live?.url}/reports/trace/CERT-1?limit=10`);
    const count = await ask("select count(*) as n from voucher");
    assert.deepEqual([trace.status, count.status, isOver], [200, 200, false]);
    const ended = await slow;
    assert.equal(ended.status, 400);
    assert.match(await ended.text(), /"message":"canceling statement due to statement timeout"/);
    const wrong = await ask("select 1 / (index - index) as n from household");
    assert.match(await wrong.text(), /"message":"division by zero"/);
    // Ten tries of either would have taken longer than two minutes.
    assert.ok(performance.now() - begin < 60_000);
  });

  it("answers an address immediately while another's slow statements wait for each other", async () => {
    const [live] = running;
    const { port } = new URL(live?.url ?? "");
    const ask = (sql: string, localAddress: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const path = `/sql?query=${encodeURIComponent(sql)}`;
        const asked = get({ host: "127.0.0.1", port, path, localAddress, agent: false }, (answer) => {
          answer.resume().on("end", () => resolve(answer.statusCode));
        });
        asked.on("error", reject);
      });
    // The planner takes each condition to hold for few rows, so it thinks that this is cheap.
    const names = ["a", "b", "c", "d", "e"];
    const conditions = names.map((name) => `${name}.id % 1 = 0 and ${name}.id * 0 = 0`);
    const slow = `select count(*) from ${names.map((name) => `voucher ${name}`)} where ${conditions.join(" and ")}`;
    let ended = 0;
    const flood = Array.from({ length: 6 }, () =>
      ask(slow, "127.0.0.2").finally(() => {
        ended += 1;
      }),
    );
    await new Promise((resolve) => setTimeout(resolve, 500));
    const answers = [];
    for (let i = 0; i < 3; i += 1) answers.push(await ask("select count(*) from voucher", "127.0.0.3"));
    assert.deepEqual([answers, ended], [[200, 200, 200], 0]);
    assert.deepEqual(new Set(await Promise.all(flood)), new Set([400]));
  });

  it("runs nothing that is hidden in a quoted name", async () => {
    const [live] = running;
    const hidden = "commit; begin read write; delete from hearth_indexer.marker; commit; select 1";
    for (const text of [`select 1 as "'"; ${hidden} as "'"`, `select 1 as "''"; ${hidden} as "''"`]) {
      const answer = await fetch(`${live?.url}/sql?query=${encodeURIComponent(text)}`);
      assert.equal(answer.status, 400);
      await answer.text();
    }
    const database = new pg.Client({ connectionString: databaseUrl });
    await database.connect();
    const { rowCount } = await database.query("select 1 from hearth_indexer.marker");
    await database.end();
    assert.equal(rowCount, 1);
  });

  it("answers anonymous clients with a role that can read the public tables and nothing else", async () => {
    const [live] = running;
    const count = await fetch(`${live?.url}/sql?query=select count(*) as n from voucher`);
    assert.deepEqual(((await count.json()) as { rows: unknown[] }).rows, [{ n: "60" }]);
    const body = JSON.stringify({ query: "{ vouchers(limit: 1) { totalCount } _meta { status } }" });
    const headers = { "content-type": "application/json" };
    const answer = await fetch(`${live?.url}/graphql`, { method: "POST", headers, body });
    const { data } = (await answer.json()) as { data: { vouchers: unknown } };
    assert.deepEqual(data.vouchers, { totalCount: 60 });
    const reader = new pg.Client({ connectionString: readerUrlOf({ databaseUrl }) });
    await reader.connect();
    const schemas = await reader.query("select nspname from pg_namespace where nspname like 'hearth\\_%'");
    const name = schemas.rows.map(({ nspname }) => nspname).find((each) => each !== "hearth_indexer");
    assert.equal((await reader.query(`select 1 from ${name}.voucher`)).rowCount, 60);
    for (const text of [
      `delete from ${name}.voucher`,
      `select * from ${name}._ponder_meta`,
      "select * from ponder_sync.logs",
      "select * from hearth_indexer.marker",
      `create table ${name}.mine (id int)`,
    ]) {
      await assert.rejects(reader.query(text), /permission denied/, text);
    }
    await reader.end();
  });

  it("gives the reading role a user and a password wherever the indexer's URL has them", () => {
    const url = new URL(
      readerUrlOf({ databaseUrl: "postgres://db/index?user=hearth&password=hearth&sslmode=require" }),
    );
    assert.match(url.username, /^hearth_reader_/);
    assert.match(url.password, /^[0-9a-f]{64}$/);
    assert.equal(url.search, "?sslmode=require");
  });

  for (const [place, kind] of ["PostgreSQL", "the embedded database"].entries()) {
    const count = isLong ? 10_000 : place === 0 ? 200 : 60;
    it(`answers ${count} mutated requests each to /sql and /graphql without a server error, on ${kind}`, async (t) => {
      t.diagnostic(`FUZZ_SEED=${seed}`);
      const indexer = running[place] as Indexer;
      const before = await readAllRows(indexer);
      t.diagnostic(JSON.stringify(await fuzzDoors(indexer.url, count, seed)));
      assert.deepEqual(await readAllRows(indexer), before);
    });
  }

  it("refuses to start with a reading role that has any other power, or without one", async () => {
    const owner = new pg.Client({ connectionString: databaseUrl });
    await owner.connect();
    const as = (name: string) => Object.assign(new URL(databaseUrl), { username: name, password: "secret" }).href;
    await owner.query("create role writer login password 'secret'");
    await owner.query("grant delete on hearth_indexer.marker to writer");
    await owner.query("create role founder login password 'secret' createdb");
    await owner.query("create role member login password 'secret' in role pg_read_all_data");
    await owner.query("create role plain login password 'secret'");
    const refused: [string, RegExp][] = [
      [databaseUrl, /can do more than read: is superuser/],
      [as("writer"), /writes hearth_indexer.marker/],
      [as("founder"), /creates databases/],
      [as("member"), /is a member of pg_read_all_data/],
      [as("nobody"), /cannot connect .* INDEXER_READER_DATABASE_URL/],
    ];
    for (const [readerUrl, why] of refused) await assert.rejects(prepareReadingRole({ databaseUrl, readerUrl }), why);
    await assert.rejects(prepareReadingRole({ databaseUrl: as("plain") }), /cannot make a reading role/);
    await prepareReadingRole({ databaseUrl, readerUrl: as("plain") });
    await owner.end();
  });

  it("gives a live query's place back when it is refused, and when its client is gone", async () => {
    const [live] = running;
    const open = (sql: string, signal?: AbortSignal) => {
      const json = encodeURIComponent(JSON.stringify({ json: { sql, params: [] } }));
      return fetch(`${live?.url}/sql/live?sql=${json}`, signal === undefined ? {} : { signal });
    };
    for (let i = 0; i < 40; i += 1) {
      const refused = await open(
        ["select nothing from voucher", "select 1 / (index - index) from household"][i % 2] ?? "",
      );
      assert.equal(refused.status, 400);
      await refused.text();
    }
    for (let i = 0; i < 40; i += 1) {
      // Half of them leave before the answer, half after it.
      const client = new AbortController();
      const asked = open("select count(*) from batch", client.signal);
      if (i % 2 === 0) setTimeout(() => client.abort(), 5);
      const answer = await asked.catch(() => undefined);
      if (answer !== undefined) assert.equal(answer.status, 200);
      client.abort();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    const client = new AbortController();
    const kept = await open("select count(*) as n from batch", client.signal);
    assert.deepEqual([kept.status, kept.headers.get("content-type")], [200, "text/event-stream"]);
    const reader = kept.body?.getReader();
    await issueBatch(world, "CERT-2", 4, 2_000n);
    const { value } = (await reader?.read()) ?? {};
    assert.match(new TextDecoder().decode(value), /^data: \{"rows":\[\{"n":"2"\}\]/);
    client.abort();
  });

  it("says nobody's DID in a log or an answer when its database fails under a question", async () => {
    const [live] = running;
    const owner = new pg.Client({ connectionString: databaseUrl });
    await owner.connect();
    const { rows } = await owner.query(
      "select schemaname as schema, tablename as name from pg_tables where schemaname ~ '^hearth_' and schemaname <> 'hearth_indexer' and tablename !~ '^_'",
    );
    const rename = (from: string, to: string) =>
      owner.query(
        rows
          .map(
            ({ schema, name }) =>
              `alter table "${schema}"."${from.replace("*", name)}" rename to "${to.replace("*", name)}"`,
          )
          .join(";"),
      );
    await rename("*", "*_gone");
    const did = "did:ixo:household/nobody-may-know";
    const [text, region] = [encodeURIComponent(did), "Lusaka-West"];
    const own = encodeURIComponent(
      JSON.stringify({ json: { sql: "select id from supplier where did = $1 or region = $2", params: [did, region] } }),
    );
    const question = JSON.stringify({
      query: `{ suppliers(where: {did: "${did}", region: "${region}"}) { items { did } } }`,
    });
    const headers = { "content-type": "application/json" };
    const answers = await Promise.all([
      fetch(`${live?.url}/reports/trace/${text}`),
      fetch(`${live?.url}/reports/reconciliation?date=2026-01-01&supplierDid=${text}`),
      fetch(`${live?.url}/sql?query=${encodeURIComponent(`select did from supplier where did = '${did}'`)}`),
      fetch(`${live?.url}/sql/db?token=a%20token%20of%20the%20tests&sql=${own}`),
      fetch(`${live?.url}/graphql`, { method: "POST", headers, body: question }),
    ]);
    const said = (await Promise.all(answers.map((answer) => answer.text()))).join("\n");
    await rename("*_gone", "*");
    await owner.end();
    const logged = live?.output() ?? "";
    assert.match(logged, /does not exist/);
    for (const each of [did, region]) assert.ok(!logged.includes(each), logged.slice(-3_000));
    assert.doesNotMatch(said, /params|Failed query/);
    assert.ok(!said.includes(region));
  });

  it("is refused, with the reason, when it belongs to another chain", async () => {
    const other = await createWorld({ isNewChain: true });
    worlds.push(other);
    await assert.rejects(
      startIndexerOn(other, join(other.folder, "postgres"), { databaseUrl }),
      /belongs to another chain or deployment .* INDEXER_DATABASE_URL an empty database/s,
    );
  });
});
