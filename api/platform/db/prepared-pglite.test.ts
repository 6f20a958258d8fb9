import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/pglite";
import { PreparedPglite } from "./prepared-pglite.ts";

describe("PGlite with statements that are prepared once", () => {
  let client: PreparedPglite;
  const db = () => drizzle(client);
  before(async () => {
    client = new PreparedPglite();
    await client.waitReady;
  });
  beforeEach(() =>
    client.exec("drop table if exists t; create table t (id int primary key, v jsonb, tags text[], at timestamptz)"),
  );
  after(() => client.close());

  const keptStatements = async (like: string) => {
    const text = "select count(*)::int as count from pg_prepared_statements where statement like $1";
    return (await client.query<{ count: number }>(text, [like])).rows[0]?.count ?? 0;
  };
  const insert = "insert into t (id, v, tags, at) values ($1, $2, $3, $4)";

  it("answers as PGlite does: values of every type, names of columns, counts", async () => {
    const at = new Date(1_700_000_000_000);
    for (const id of [1, 2]) {
      const { affectedRows, rows } = await client.query(insert, [id, { a: [1, null] }, ["x", 'q"y'], at]);
      assert.deepEqual([affectedRows, rows], [1, []]);
    }
    const text = "select id, v, tags, at, null as nothing from t where id = any($1) order by id";
    const first = await client.query(text, [[1, 2]]);
    const again = await client.query(text, [[2]]);
    assert.deepEqual(first.rows[1], { id: 2, v: { a: [1, null] }, tags: ["x", 'q"y'], at, nothing: null });
    assert.deepEqual(again.rows, [first.rows[1]]);
    assert.deepEqual(again.fields, first.fields);
    const inRows = await client.query(text, [[2]], { rowMode: "array", parsers: { 1184: (value) => value } });
    assert.deepEqual(inRows.rows, [[2, { a: [1, null] }, ["x", 'q"y'], "2023-11-14 22:13:20+00", null]]);
  });

  it("prepares the same words once", async () => {
    for (let id = 0; id < 5; id++) await client.query(insert, [id, null, null, null]);
    assert.equal(await keptStatements("insert into t%"), 1);
  });

  it("continues after a statement that was refused, and returns the database's own code", async () => {
    await client.query(insert, [1, null, null, null]);
    await assert.rejects(client.query(insert, [1, null, null, null]), { code: "23505" });
    await assert.rejects(client.query("select * from nowhere"), { code: "42P01" });
    await client.query(insert, [2, null, null, null]);
    assert.equal((await client.query("select * from t")).rows.length, 2);
  });

  it("keeps a transaction whole: what is asked meanwhile waits, what failed is undone", async () => {
    const order: string[] = [];
    const outside = async () => {
      await client.query("select 1");
      order.push("outside");
    };
    let waiting: Promise<void> = Promise.resolve();
    await assert.rejects(
      db().transaction(async (tx) => {
        waiting = outside();
        await tx.execute(sql`insert into t (id) values (${7})`);
        order.push("inside");
        await tx.execute(sql`insert into t (id) values (${7})`);
      }),
    );
    await waiting;
    assert.deepEqual(order, ["inside", "outside"]);
    assert.deepEqual((await client.query("select id from t")).rows, []);
    await db().transaction(async (tx) => {
      await tx.execute(sql`insert into t (id) values (${8})`);
    });
    assert.deepEqual((await client.query("select id from t")).rows, [{ id: 8 }]);
  });

  it("serves a table that was changed after its statements were prepared", async () => {
    await client.query(insert, [1, null, null, null]);
    const all = "select * from t";
    await client.query(all);
    await db().execute(sql`alter table t add column more text default 'm'`);
    assert.deepEqual((await client.query(all)).rows, [{ id: 1, v: null, tags: null, at: null, more: "m" }]);
  });

  it("forgets the oldest when there are many", async () => {
    for (let i = 0; i < 450; i++) await client.query(`select ${i} as n`);
    const kept = await keptStatements("select % as n");
    assert.ok(kept > 100 && kept <= 200, `${kept}`);
    assert.deepEqual((await client.query("select 0 as n")).rows, [{ n: 0 }]);
  });

  it("has one order for what is asked at the same time", async () => {
    const ids = Array.from({ length: 50 }, (_, id) => id);
    await Promise.all(ids.map((id) => client.query(insert, [id, { id }, null, null])));
    const answers = await Promise.all(
      ids.map((id) => client.query<{ v: unknown }>("select v from t where id = $1", [id])),
    );
    assert.deepEqual(
      answers.map(({ rows }) => rows[0]?.v),
      ids.map((id) => ({ id })),
    );
  });
});
