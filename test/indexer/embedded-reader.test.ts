import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { openEmbeddedReader } from "../../indexer/reader/embedded-reader.ts";
import { functions, rowFunctions } from "../../indexer/reader/grammar.ts";
import { openInMemory, type Pglite } from "../../indexer/reader/pglite.ts";
import { mostCost, type Reader, StatementError } from "../../indexer/reader/reader.ts";

const checkpoint = `${"0".repeat(26)}${"7".padStart(16, "0")}${"0".repeat(33)}`;

describe("the copy of an embedded index", () => {
  let index: Pglite;
  let reader: Reader;
  const ask = async (text: string, parameters: unknown[] = [], milliseconds = 60_000) =>
    (await reader.ask({ text, parameters, milliseconds })).rows;
  const agrees = async () => {
    for (const table of ["voucher", "household"]) {
      const { rows } = await index.query(`select * from hearth.${table} order by id`);
      assert.deepEqual(await ask(`select * from ${table} order by id`), rows);
    }
  };

  before(async () => {
    index = await openInMemory();
    await index.exec(`
      create schema hearth;
      create table hearth._ponder_checkpoint (chain_name text primary key, latest_checkpoint varchar(75) not null);
      insert into hearth._ponder_checkpoint values ('hearth', '${checkpoint}');
      create table hearth._ponder_meta (key text primary key);
      create table hearth.voucher (id int primary key, status text not null, remaining numeric(78), data json);
      create index on hearth.voucher (status);
      create table hearth.household (id int, part int, primary key (part, id));
      create view hearth.active as select id from hearth.voucher where status = 'active';
      insert into hearth.voucher select i, 'active', i * 1000000, '{"a":1}' from generate_series(1, 2000) i;
      insert into hearth.household values (1, 1), (1, 2)`);
    reader = openEmbeddedReader(index, "hearth");
  });

  it("answers as the index would, with parameters, also from views", async () => {
    await agrees();
    assert.deepEqual(await ask("select count(*)::int as n from active where id > $1", ["1990"]), [{ n: 10 }]);
    assert.equal(await reader.block(), 7);
    const { rows, fields } = await reader.ask({
      text: "select id, id from voucher limit 1",
      parameters: [],
      asLists: true,
      milliseconds: 60_000,
    });
    assert.deepEqual([rows, fields.map(({ name }) => name)], [[[1, 1]], ["id", "id"]]);
  });

  it("has every change of the index before the question: new, changed, deleted and replaced rows", async () => {
    await index.exec("insert into hearth.voucher values (3000, 'active', 5, null)");
    await agrees();
    await index.exec("update hearth.voucher set remaining = 0 where id between 5 and 9");
    await agrees();
    await index.exec("delete from hearth.voucher where id = 3000");
    await agrees();
    await index.exec(
      "delete from hearth.voucher where id = 1; insert into hearth.voucher values (4000, 'new', 1, null)",
    );
    await agrees();
    await index.transaction(async ({ query }) => {
      await query("savepoint a");
      await query("update hearth.household set id = 5 where part = 2");
      await query("release savepoint a");
    });
    await agrees();
    await index.exec("delete from hearth.household");
    await agrees();
  });

  it("lets a statement read the public tables and do nothing else", async () => {
    for (const text of [
      "delete from voucher",
      "select * from _ponder_meta",
      "reset role; delete from voucher",
      "set role postgres",
      "create temp table mine (id int)",
      "select 1 / 0",
      "select nothing from voucher",
    ]) {
      if (text.startsWith("set")) await ask(text).catch(() => undefined);
      else await assert.rejects(ask(text), StatementError, text);
    }
    await agrees();
    assert.deepEqual(await ask("select current_user as name"), [{ name: "reader" }]);
  });

  it("lets the index answer what GraphQL made, as long as it is cheap", async () => {
    const open = openEmbeddedReader(index, "hearth");
    const byId = {
      text: `select id from "hearth"."voucher" where id = $1`,
      parameters: ["7"],
      milliseconds: 1,
    };
    // The copy could not be made in a millisecond.
    const { rows } = await open.ask({ ...byId, allowance: { cost: mostCost }, asLists: true });
    assert.deepEqual(rows, [[7]]);
    const heavy = {
      text: "select count(*) from hearth.voucher a, hearth.voucher b",
      parameters: [],
      milliseconds: 60_000,
    };
    const allowance = { cost: mostCost };
    await assert.rejects(open.ask({ ...heavy, allowance, milliseconds: 1 }), /took longer than 1 ms/);
    assert.ok(allowance.cost < 0);
    const wrong = { ...byId, parameters: ["seven"], allowance: { cost: mostCost } };
    await assert.rejects(open.ask(wrong), (error) => error instanceof StatementError && /seven/.test(error.message));
  });

  it("has no function for any row that a column could be called after", async () => {
    const { rows } = await index.query(`
      select distinct proname as name from pg_proc where pronargs >= 1 and pronargs - pronargdefaults <= 1 and
        proargtypes[0]::regtype::text in ('record', '"any"', 'anyelement', 'anynonarray', 'anycompatible', 'anycompatiblenonarray')`);
    const names = (rows as { name: string }[]).map(({ name }) => name);
    assert.deepEqual(
      names.filter((name) => !rowFunctions.has(name) && !functions.has(name)),
      [],
    );
  });

  it("is ended by a statement that takes too long, without the index waiting, and made again", async () => {
    const heavy = "select count(*) from voucher a, voucher b, voucher c";
    const begin = performance.now();
    const slow = assert.rejects(ask(heavy, [], 1_500), /took longer than 1500 ms/);
    const { rows } = await index.query("select count(*)::int as n from hearth.voucher");
    assert.deepEqual(rows, [{ n: 2000 }]);
    await slow;
    assert.ok(performance.now() - begin < 30_000);
    await agrees();
  });
});
