import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import fc from "fast-check";
import pg from "pg";
import { checkStatement } from "../../indexer/reader/check-statement.ts";
import { openEmbeddedReader } from "../../indexer/reader/embedded-reader.ts";
import { functions } from "../../indexer/reader/grammar.ts";
import { openInMemory } from "../../indexer/reader/pglite.ts";
import { openPostgresReader } from "../../indexer/reader/postgres-reader.ts";
import type { Reader } from "../../indexer/reader/reader.ts";
import { prepareReadingRole } from "../../indexer/reader/reading-role.ts";
import { askAll } from "../support/ask-statements.ts";
import { startPostgres, type TestPostgres } from "../support/postgres.ts";
import { publicNames, statement, worldOfStatements } from "./statement-grammar.ts";

const isLong = process.env.HEARTH_LONG === "1";
const count = isLong ? 20_000 : 1_000;
/** The embedded index rests after each question. */
const embeddedCount = isLong ? 2_000 : 25;
const seed = Number(process.env.FUZZ_SEED ?? (isLong ? Date.now() % 2 ** 31 : 20_261_123));
const rules = new Set(
  "length text one syntax select syntax-kind table function operator type parameter name star size".split(" "),
);

const statements = fc.sample(statement, { numRuns: count, seed });
const violationsOf = (text: string) => checkStatement(text, 0, publicNames);
const accepted = statements.map(({ text }) => text).filter((text) => violationsOf(text).length === 0);

/** What is there and who is who, as one text. */
const state = `select (select json_agg(v order by id) from hearth.voucher v)::text || (select json_agg(h order by id) from hearth.household h)::text
  || (select count(*) from secret.marker) || (select count(*) from pg_class) || current_user as state`;

/** What a transaction has done, as PostgreSQL counts it; all of it nothing. */
const traces = `select pg_current_xact_id_if_assigned()::text as written,
  (select count(*) from pg_locks where locktype = 'advisory' and pid = pg_backend_pid())::int as locks,
  (select count(*) from pg_cursors where name <> '')::int as cursors, (select count(*) from pg_prepared_statements where name <> '')::int as prepared,
  (select count(*) from pg_listening_channels())::int as heard, (select count(*) from pg_stat_xact_user_functions where schemaname <> 'pg_catalog')::int as called,
  (select count(*) from pg_stat_xact_all_tables where schemaname not in ('pg_catalog', 'pg_toast')
    and (n_tup_ins + n_tup_upd + n_tup_del > 0 or (schemaname <> 'hearth' and coalesce(seq_scan, 0) + coalesce(idx_scan, 0) > 0)))::int as touched,
  current_user::text as who`;
const nothing = { written: null, locks: 0, cursors: 0, prepared: 0, heard: 0, called: 0, touched: 0, who: "hearth" };

/** Names that PostgreSQL writes before a bracket and that are not functions. */
const notFunctions = new Set([
  "numeric",
  "bpchar",
  "character",
  "varying",
  "n",
  "w",
  "as",
  "in",
  "values",
  "over",
  "any",
  "and",
  "or",
  "not",
]);
const writtenTypes =
  /^(integer|bigint|smallint|numeric|double precision|real|text|boolean|json|jsonb|"char"|character varying|bpchar)/;

/** What PostgreSQL itself understood a statement to call, read and cast to, where that is not allowed. */
function strangersIn(definition: string): string[] {
  const plain = definition.replace(/E?'(?:[^'\\]|''|\\.)*'/g, "''").replace(/"(?:[^"]|"")*"/g, "quoted");
  const called = [...plain.matchAll(/([a-z_][\w.]*)\s*\(/g)].map(([, name = ""]) => name);
  const types = [...plain.matchAll(/::\s*([a-z"][\w "]*)/g)].map(([, name = ""]) => name);
  const read = [...plain.matchAll(/\b(?:from|join)\s+([a-z_][\w.]*)\b(?!\s*\()/gi)].map(([, name = ""]) => name);
  return [
    ...called.filter((name) => !functions.has(name) && !notFunctions.has(name.toLowerCase()) && name !== "quoted"),
    ...types.filter((name) => !writtenTypes.test(name)),
    ...read.filter((name) => !/^((hearth\.)?(voucher|household|active)|w|quoted|t(_\d+)?\.\w+)$/.test(name)),
    ...(plain.match(/\bpg_\w+|\bsecret\b|operator\s*\(/gi) ?? []),
  ];
}

describe(`generated anonymous statements`, () => {
  let postgres: TestPostgres;
  let databaseUrl: string;
  let owner: pg.Client;
  let watcher: pg.Client;
  let reader: Reader;

  before(async () => {
    postgres = await startPostgres();
    databaseUrl = await postgres.createDatabase();
    // What a connection has done is counted on it a while longer, so the statements under test have a separate one.
    [owner, watcher] = [0, 1].map(() => new pg.Client({ connectionString: databaseUrl })) as [pg.Client, pg.Client];
    await Promise.all([owner.connect(), watcher.connect()]);
    await watcher.query(worldOfStatements);
    await owner.query("set search_path = hearth");
    await owner.query("set track_functions = 'all'");
    await owner.query("set statement_timeout = '5s'");
    await prepareReadingRole({ databaseUrl });
    reader = await openPostgresReader({ databaseUrl, schema: "hearth" });
  });
  after(async () => {
    await owner?.end();
    await watcher?.end();
    await postgres?.stop();
  });

  it("are let through when every part is allowed, and refused by a rule with a name when one is not", (t) => {
    t.diagnostic(`FUZZ_SEED=${seed}, ${count} statements, ${accepted.length} let through`);
    for (const { text, isForeign } of statements) {
      const broken = violationsOf(text);
      assert.equal(broken.length > 0, isForeign, `${text}\n${JSON.stringify(broken)}`);
      for (const { rule, message } of broken) assert.ok(rules.has(rule) && message !== "", `${rule}: ${text}`);
    }
    assert.ok(accepted.length > count / 3);
  });

  it("would leave a trace, or be seen in PostgreSQL's analysis, when they did more", async () => {
    const other = new pg.Client({ connectionString: databaseUrl });
    await other.connect();
    await other.query("set track_functions = 'all'");
    for (const text of [
      "select secret.pay(1)",
      "delete from hearth.voucher",
      "select id from secret.marker",
      "select pg_advisory_lock(1)",
    ]) {
      await other.query("begin");
      await other.query(text);
      assert.notDeepEqual((await other.query(traces)).rows, [nothing], text);
      await other.query("rollback; select pg_advisory_unlock_all()");
    }
    await other.end();
    for (const call of [
      "pg_sleep(0)",
      "'voucher'::regclass",
      "1 from pg_class",
      "secret.pay(1)",
      "1 operator(a.+) 2",
    ]) {
      assert.notDeepEqual(strangersIn(`SELECT 1 FROM (SELECT ${call}) probed;`), [], call);
    }
  });

  it("leave no trace when those that are let through run with every right", async (t) => {
    const before = (await watcher.query(state)).rows;
    let answered = 0;
    for (const text of accepted) {
      await owner.query("begin");
      try {
        await owner.query({ text, queryMode: "extended" } as pg.QueryConfig);
        answered += 1;
        assert.deepEqual((await owner.query(traces)).rows, [nothing], text);
      } catch (error) {
        if (!(error instanceof pg.DatabaseError)) throw error;
      } finally {
        await owner.query("rollback");
      }
    }
    t.diagnostic(`${answered} of ${accepted.length} answered, the others refused by PostgreSQL itself`);
    assert.ok(answered > accepted.length / 2);
    assert.deepEqual((await watcher.query(state)).rows, before);
  });

  it("are understood by PostgreSQL's own analysis as nothing but what is allowed", async () => {
    for (const text of accepted) {
      await owner.query("begin");
      try {
        await owner.query(`create temp view probe as select count(*) as n from (${text}\n) probed`);
        const { rows } = await owner.query("select pg_get_viewdef('probe'::regclass) as text");
        const { rows: others } =
          await owner.query(`select d.refobjid from pg_depend d join pg_rewrite r on r.oid = d.objid
          left join pg_class c on c.oid = d.refobjid and d.refclassid = 'pg_class'::regclass where r.ev_class = 'probe'::regclass
            and (d.refclassid <> 'pg_class'::regclass or (c.relname <> 'probe' and c.relnamespace <> 'hearth'::regnamespace))`);
        assert.deepEqual([strangersIn(rows[0].text), others], [[], []], `${text}\n${rows[0].text}`);
      } catch (error) {
        if (!(error instanceof pg.DatabaseError)) throw error;
      } finally {
        await owner.query("rollback");
      }
    }
  });

  it("get an answer or the database's reason, and never hang, on PostgreSQL", async () => {
    const before = (await watcher.query(state)).rows;
    await askAll(reader, accepted);
    assert.deepEqual((await watcher.query(state)).rows, before);
    const open = await owner.query(
      "select count(*)::int as n from pg_stat_activity where state <> 'idle' and pid <> pg_backend_pid() and backend_type = 'client backend'",
    );
    assert.deepEqual(open.rows, [{ n: 0 }]);
  });

  it("get an answer or the database's reason, and never hang, on the embedded index", async (t) => {
    const index = await openInMemory();
    t.after(() => index.close());
    await index.exec(worldOfStatements);
    const before = (await index.query(state)).rows;
    const embedded = openEmbeddedReader(index, "hearth");
    await askAll(embedded, accepted.slice(0, embeddedCount));
    assert.deepEqual((await index.query(state)).rows, before);
    // Also what the check would refuse changes nothing: the copy takes it with the reading role alone.
    for (const { text } of statements.filter(({ isForeign }) => isForeign).slice(0, embeddedCount)) {
      await embedded.ask({ text, parameters: [], milliseconds: 5_000 }).catch(() => undefined);
    }
    assert.deepEqual((await index.query(state)).rows, before);
    const { rows } = await embedded.ask({
      text: "select count(*)::int as n from voucher",
      parameters: [],
      milliseconds: 60_000,
    });
    assert.deepEqual(rows, [{ n: 30 }]);
  });
});
