import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkStatement } from "../../indexer/reader/check-statement.ts";

const names = {
  tables: new Set(["voucher", "household", "activity"]),
  columns: new Set(["id", "index", "household", "remaining", "status", "data"]),
};
const rulesOf = (text: string, parameters = 0) => checkStatement(text, parameters, names).map(({ rule }) => rule);

describe("an anonymous statement", () => {
  it("may be one SELECT over the public tables, however it is written", () => {
    for (const text of [
      "select count(*) as n from voucher where status = 'active' and household in (20, 21)",
      "with a (x) as (select id from voucher), b as (select x from a) select b.x from b order by x desc nulls last limit 5",
      "select v.id, h.* from voucher v left join household h on h.index = v.household where not (v.id between 1 and 2)",
      "select status, sum(remaining) filter (where id > 1), row_number() over (partition by status order by id) from voucher group by status having count(*) > 1",
      "select id from voucher union all (select index from household except select 1)",
      "select coalesce(max(id), 0)::text, case when id is null then 1 else -id end, cast('5' as numeric(10, 2)) from voucher group by id",
      "select data ->> 'name', trim(both ' ' from status), substring(status from 1 for 2), current_date from activity, voucher",
      "select id from voucher v where exists (select 1 from household h where h.index = v.household) and id = any(array[1, 2])",
      `SELECT "id" FROM "voucher" /* a comment; */ WHERE status LIKE '%;--''' -- and another`,
      "table voucher",
      "values (1, 'a')",
    ]) {
      assert.deepEqual(checkStatement(text, 0, names), [], text);
    }
    assert.deepEqual(rulesOf("select id from voucher where id = $1 limit $2", 2), []);
    assert.deepEqual(rulesOf("select id from voucher where id = $1", 2), ["parameter"]);
    assert.deepEqual(rulesOf("select id from voucher", 1), ["parameter"]);
  });

  it("is nothing else, however it is disguised", () => {
    const refused: [string, string][] = [
      [`select 1 as "'"; delete from voucher; select 1 as "'"`, "one"],
      ["", "syntax"],
      ["select 1;;select 2", "one"],
      ["select 'a", "syntax"],
      ["select 1\0; delete from voucher", "text"],
      ["select '\ud800'", "text"],
      [`select ${"(".repeat(2_400)}1${")".repeat(2_400)}`, "length"],
      [`select 1${" ".repeat(5_000)}`, "length"],
      ["delete from voucher", "select"],
      ["explain select 1", "select"],
      ["explain analyze delete from voucher", "select"],
      ["copy voucher to program 'id'", "select"],
      ["do $$ begin end $$", "select"],
      ["set role postgres", "select"],
      ["with gone as (delete from voucher returning id) select count(*) from gone", "syntax-kind"],
      ["with recursive t as (select 1 as n union all select n + 1 from t) select n from t", "syntax-kind"],
      ["select id into mine from voucher", "syntax-kind"],
      ["select id from voucher for update", "syntax-kind"],
      ["select id from voucher tablesample system (1)", "syntax-kind"],
      ["select id from generate_series(1, 9) id", "syntax-kind"],
      ["select id from public.voucher", "syntax-kind"],
      ["select (array[id])[1] from voucher", "syntax-kind"],
      ['select status collate "C" from voucher', "syntax-kind"],
      ["select status from voucher group by rollup (status)", "syntax-kind"],
      ["select * from pg_class", "table"],
      ["select * from pg_class where exists (with pg_class as (select 1) select 1)", "table"],
      ["with a as (select * from b), b as (select 1) select 1 from a", "table"],
      [`select U&"f\\0061ctorial"(100000)`, "function"],
      [`select "pg_sleep"(1)`, "function"],
      ["select pg_catalog.pg_sleep(1)", "function"],
      ["select public.count(1)", "function"],
      ["select current_user", "function"],
      ["select status || status from voucher", "operator"],
      ["select 9 ^ 99999", "operator"],
      ["select 1 operator(pg_catalog.+) 2", "operator"],
      ["select id from voucher where status ~ '(a+)+b'", "operator"],
      ["select id from voucher where id operator(public.=) any (select 1)", "operator"],
      ["select 'voucher'::regclass", "type"],
      ["select ''::char(100000)", "type"],
      ["select id from voucher where id = $1", "parameter"],
      ["select v from voucher v", "name"],
      ["select voucher from voucher", "name"],
      ["select v.row_to_json from voucher v", "name"],
      ["select v.pg_sleep, s.pg_typeof from voucher v, (select 1 as pg_typeof) s", "name"],
      ["select xmin from voucher", "name"],
      ["select hearth.voucher.id from voucher", "name"],
      ["select array[v.*] from voucher v", "star"],
      ["select row(v.*) = row(v.*) from voucher v", "star"],
      [`select ${Array.from({ length: 16 }, () => "array[id, id]").join(", ")} from voucher`, "size"],
      ["select json_agg(1), json_agg(1), json_agg(1), json_agg(1), json_agg(1)", "size"],
    ];
    for (const [text, rule] of refused) assert.ok(rulesOf(text).includes(rule), `${text}: ${rulesOf(text)}`);
  });

  it("gets every rule that it violates", () => {
    const violations = checkStatement("select pg_sleep(1), nothing from pg_class for update", 0, names);
    assert.deepEqual(violations.map(({ rule }) => rule).sort(), ["function", "name", "syntax-kind", "table"]);
  });
});
