import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import pg from "pg";
import * as schema from "../../indexer/ponder.schema.ts";
import { startPostgres, type TestPostgres } from "../support/postgres.ts";
import { type Indexer, startIndexerOn, waitForBlock } from "./ponder-process.ts";
import { countsOf, readAllRows } from "./rows.ts";
import { issueBatch, registerParticipants } from "./story.ts";
import { createWorld, type World } from "./world.ts";

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
    const live = await startIndexerOn(world, join(world.folder, "postgres"), { databaseUrl, statementMs: 5_000 });
    running.push(live);
    await issueBatch(world, "CERT-1", 60, 1n);
    const embedded = await startIndexerOn(world, join(world.folder, "embedded"));
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

  it("runs nothing that a stranger hides in a quoted name", async () => {
    const [live] = running;
    const hidden = "commit; begin read write; delete from hearth_indexer.marker; commit; select 1";
    for (const text of [`select 1 as "'"; ${hidden} as "'"`, `select 1 as "''"; ${hidden} as "''"`]) {
      const answer = await fetch(`${live?.url}/sql?query=${encodeURIComponent(text)}`);
      assert.ok([400, 503].includes(answer.status), `${answer.status}`);
      await answer.text();
    }
    const database = new pg.Client({ connectionString: databaseUrl });
    await database.connect();
    const { rowCount } = await database.query("select 1 from hearth_indexer.marker");
    await database.end();
    assert.equal(rowCount, 1);
  });

  it("is refused, with the reason, when it belongs to another chain", async () => {
    const other = await createWorld();
    worlds.push(other);
    await assert.rejects(
      startIndexerOn(other, join(other.folder, "postgres"), { databaseUrl }),
      /belongs to another chain or deployment .* INDEXER_DATABASE_URL an empty database/s,
    );
  });
});
