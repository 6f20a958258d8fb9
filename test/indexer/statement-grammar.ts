import fc from "fast-check";

/** A piece of SQL; `isForeign`: it contains something that anonymous statements may not contain. */
type Piece = { text: string; isForeign: boolean };
/** A statement of the grammar, and whether the door has to refuse it. */
export type GeneratedStatement = Piece;

/** The tables that the generated statements read, and what else is there to be reached by mistake. */
export const worldOfStatements = `
  create schema hearth; create schema secret;
  create table hearth._ponder_checkpoint (chain_name text primary key, latest_checkpoint varchar(75) not null);
  insert into hearth._ponder_checkpoint values ('hearth', '${"0".repeat(26)}${"7".padStart(16, "0")}${"0".repeat(33)}');
  create table hearth._ponder_meta (key text primary key);
  create table hearth.voucher (id int primary key, status text not null, remaining numeric(78), data json);
  create table hearth.household (id int primary key, status text not null, remaining numeric(78), data json);
  create view hearth.active as select * from hearth.voucher where status = 'active';
  insert into hearth.voucher select i, 'active', i * 1000000, '{"a":"1"}' from generate_series(1, 30) i;
  insert into hearth.household select i, 'known', i, '{"a":"2"}' from generate_series(1, 20) i;
  create table secret.marker (id int primary key);
  insert into secret.marker values (1);
  create sequence secret.counter;
  create function secret.pay(int) returns int language sql as 'delete from secret.marker returning id';
  create function hearth.touched(hearth.voucher) returns int language sql as 'delete from secret.marker returning id';
  create operator secret.+ (leftarg = int, rightarg = int, function = int4pl)`;

export const publicNames = {
  tables: new Set(["voucher", "household", "active"]),
  columns: new Set(["id", "status", "remaining", "data"]),
};

const clean = (text: string): Piece => ({ text, isForeign: false });
const foreign = (text: string): Piece => ({ text, isForeign: true });
const any = (...texts: string[]) => fc.constantFrom(...texts.map(clean));

/** Join pieces: foreign when one of them is. */
function join(parts: TemplateStringsArray, ...pieces: Piece[]): Piece {
  const text = parts.reduce((all, part, i) => `${all}${part}${pieces[i]?.text ?? ""}`, "");
  return { text, isForeign: pieces.some(({ isForeign }) => isForeign) };
}

const unicode = (name: string) => `U&"\\${name.charCodeAt(0).toString(16).padStart(4, "0")}${name.slice(1)}"`;
const spelt = (name: string) => [name, name.toUpperCase(), `"${name}"`, unicode(name)];
const named = (...names: string[]) => any(...names.flatMap(spelt));

/** Between two words. What looks like a statement in them is none. */
const gap = any(
  " ",
  "\n\t",
  "/**/",
  " /* ; delete from voucher; ' \" */ ",
  " -- '; drop table voucher\n",
  "/* /* ' */ $$ */",
);
const alias = any("n", '"a\'; delete from voucher; --"', '"a""b"', 'U&"\\0061\\+000062"', '"select 1; select"', '"/*"');
const literal = any(
  ...["'x'", "''", "'it''s'", "'; delete from voucher; --'", "E'\\'; delete from voucher; --'", "$$'; select$$"],
  ...["$a$ $b$ ; $a$", "U&'\\0061'", "N'x'", "'a' 'b'".replace(" ", "\n"), "'\\'"],
);
const number = any("0", "1", "-1", "2.5", "1e2", "0x1F", "1_000", "999999999");

const mayNotBeCalled = [
  ...["pg_sleep(0)", "factorial(9)", "nextval('secret.counter')", "lo_import('/etc/passwd')", "version()"],
  ...["pg_read_file('/etc/passwd')", "current_setting('work_mem')", "set_config('a.b', 'c', false)", "random()"],
  ...["pg_advisory_lock(1)", "txid_current()", "pg_terminate_backend(1)", "generate_series(1, 9)", "touched(t)"],
  ...["repeat('x', 9)", "lpad('x', 9)", "string_agg('x', 'y')", "row_to_json(t)", "pg_notify('a', 'b')", "to_json(t)"],
  ...["query_to_xml('delete from voucher', true, true, '')", "pg_ls_dir('/')", "lo_unlink(1)", "pg_reload_conf()"],
];
/** Functions under all of their names. */
const calls = mayNotBeCalled.flatMap((call) => {
  const [name = "", rest = ""] = [call.slice(0, call.indexOf("(")), call.slice(call.indexOf("("))];
  return [
    call,
    `"${name}"${rest}`,
    `${unicode(name)}${rest}`,
    `pg_catalog.${call}`,
    `pg_catalog . ${unicode(name)}/**/${rest}`,
  ];
});
const foreignExpression = fc
  .constantFrom(
    ...calls,
    ...["secret.pay(1)", 'secret."pay"(1)', "t.touched", '(t)."touched"', "t.row_to_json", "hearth.touched(t)"],
    ...["1 operator(secret.+) 2", "1 operator(pg_catalog.+) 2", "2 ^ 3", "t.status || t.status", "@ -1", "|/ 4"],
    ...["t.status ~ 'a'", "t.status !~* '(a+)+'", "t.status similar to 'a'", 't.status collate "C"', "$1", "$9"],
    ...["'voucher'::regclass", "regclass 'voucher'", "cast('a' as xml)", "'a'::bytea", "''::char(100000)", "1::oid"],
    ...["current_user", "session_user", "current_catalog", "current_schema", "t.xmin", "ctid", "tableoid", "t"],
    ...[
      "array[t.*]",
      "row(t.*) = row(t.*)",
      "(select id from secret.marker)",
      "(select relname from pg_class limit 1)",
    ],
    ...["(array[1, 2])[1]", "now() at time zone 'UTC'", "extract(epoch from now())", "greatest(1, 2)", "nullif(1, 2)"],
    ...[
      "xmlelement(name a)",
      "json_object('a': 1)",
      "t.id is of (int)",
      "1 = any ((select array_agg(id) from voucher))",
    ],
    ...["position('a' in 'b')", "overlay('a' placing 'b' from 1)", "grouping(t.id)", "json_value('1', '$')"],
  )
  .map(foreign);

const foreignSource = fc
  .constantFrom(
    ...[
      "secret.marker",
      'secret."marker"',
      "pg_class",
      "pg_catalog.pg_authid",
      "information_schema.tables",
      "hearth.voucher",
    ],
    ...["_ponder_checkpoint", "generate_series(1, 9)", "rows from (secret.pay(1))", "voucher tablesample system (9)"],
    ...[
      "unnest(array[1])",
      "pg_ls_dir('/')",
      "json_to_record('{}') as (id int)",
      "xmltable('/' passing '' columns id int)",
    ],
    ...[`${unicode("secret")}.${unicode("marker")}`, "pg_stat_activity", "pg_settings", "current_user"],
  )
  .map(foreign);

/** `foreignWeight` of a hundred leaves are foreign. */
function grammar(foreignWeight: number) {
  const { select } = fc.letrec<Record<"value" | "text" | "truth" | "select", Piece>>((tie) => {
    const [value, text, truth, select] = [tie("value"), tie("text"), tie("truth"), tie("select")];
    const leaf = (arbitrary: fc.Arbitrary<Piece>) =>
      fc.oneof({ arbitrary, weight: 100 - foreignWeight }, { arbitrary: foreignExpression, weight: foreignWeight });
    const source = fc.oneof(
      { arbitrary: named("voucher", "household", "active"), weight: 100 - foreignWeight },
      { arbitrary: foreignSource, weight: foreignWeight },
    );
    return {
      value: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        leaf(
          fc.oneof(
            number,
            named("id").map((id) => join`t.${id}`),
          ),
        ),
        fc.tuple(value, gap, any("+", "-", "*"), gap, value).map(([a, b, c, d, e]) => join`(${a}${b}${c}${d}${e})`),
        fc.tuple(named("abs", "ceil", "floor", "sign", "round"), gap, value).map(([a, b, c]) => join`${a}${b}(${c})`),
        fc.tuple(value, any("numeric(10, 2)", "numeric", "float8")).map(([a, b]) => join`cast(${a} as ${b})`),
        fc.tuple(truth, value, value).map(([a, b, c]) => join`case when ${a} then ${b} else ${c} end`),
        fc.tuple(value, value).map(([a, b]) => join`coalesce(${a}, ${b})`),
        text.map((a) => join`length(${a})`),
        fc.tuple(gap, source).map(([a, b]) => join`(select${a}max(t.id) from ${b} t)`),
      ),
      text: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        leaf(fc.oneof(literal, any("t.status", "t.data ->> 'a'"))),
        fc.tuple(named("lower", "upper", "btrim"), text).map(([a, b]) => join`${a}(${b})`),
        fc.tuple(any("both", "leading", "trailing"), text).map(([a, b]) => join`trim(${a} ' ' from ${b})`),
        text.map((a) => join`substring(${a} from 1 for 2)`),
        value.map((a) => join`(${a})::text`),
      ),
      truth: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        leaf(
          any("true", "t.id is null", "t.id in (1, 2)", "t.id = any(array[1, 2])", "t.status is not distinct from 'a'"),
        ),
        fc.tuple(value, any("=", "<>", "!=", "<", ">="), value).map(([a, b, c]) => join`${a} ${b} ${c}`),
        fc.tuple(text, any("like", "not ilike"), text).map(([a, b, c]) => join`${a} ${b} ${c}`),
        fc.tuple(value, value, value).map(([a, b, c]) => join`${a} between ${b} and ${c}`),
        fc.tuple(truth, any("and", "or"), truth).map(([a, b, c]) => join`(${a} ${b} not ${c})`),
        select.map((a) => join`exists (${a})`),
      ),
      select: fc.oneof(
        { maxDepth: 3, withCrossShrink: true },
        fc
          .tuple(gap, fc.oneof(value, text), alias, gap, source, gap)
          .map(([a, b, c, d, e, f]) => join`select${a}${b} as ${c}${d}from ${e} t${f}`),
        fc
          .tuple(value, source, truth)
          .map(([a, b, c]) => join`select ${a} as n from ${b} t where ${c} order by 1 limit 5`),
        fc.tuple(select, any("union all", "except", "intersect"), select).map(([a, b, c]) => join`(${a}) ${b} (${c})`),
        fc.tuple(named("w"), select).map(([a, b]) => join`with ${a} as (${b}) select count(*) as n from ${a}`),
        fc
          .tuple(source, source, truth)
          .map(([a, b, c]) => join`select t.id, u.status from ${a} t left join ${b} u on ${c}`),
        select.map((a) => join`select count(*) as n, json_agg(1) from (${a}) t`),
        source.map(
          (a) => join`select status, sum(remaining), rank() over (order by status) from ${a} t group by status`,
        ),
      ),
    };
  });
  return select;
}

/** A select that is allowed, inside of something that is not. */
const wrapped = fc
  .tuple(
    grammar(0),
    fc.constantFrom<(text: string) => string>(
      ...[
        (a: string) => `${a}; delete from voucher`,
        (a: string) => `delete from voucher; ${a}`,
        (a: string) => `select 1 as "'"; delete from voucher; ${a}`,
        (a: string) => `select 1 as "''"; delete from voucher; select 1 as "''"; ${a}`,
        (a: string) => `${a}\u0000; delete from voucher`,
        (a: string) => `begin; ${a}; commit`,
        (a: string) => `explain analyze ${a}`,
        (a: string) => `explain (analyze, format json) ${a}`,
        (a: string) => `copy (${a}) to program 'id'`,
        (a: string) => `copy (${a}) to stdout`,
        (a: string) => `do $$ begin perform secret.pay(1); end $$; ${a}`,
        (a: string) => `prepare stolen as ${a}`,
        (a: string) => `declare stolen cursor with hold for ${a}`,
        (a: string) => `create table mine as ${a}`,
        (a: string) => `create view mine as ${a}`,
        (a: string) => `insert into secret.marker ${a}`,
        (a: string) => `with gone as (delete from voucher returning id) ${a.replace(/^with /, "select 1; with ")}`,
        (a: string) => `with gone as (update voucher set id = 0 returning id) (${a})`,
        (a: string) => `with recursive r as (select 1 as n union all select n from r) select n from r; ${a}`,
        (a: string) => `select * into mine from (${a}) t`,
        (a: string) => `select id from voucher where exists (${a}) for update`,
        (a: string) => `set role hearth; ${a}`,
        (a: string) => `/* ${a} */ reset role`,
        (a: string) => `merge into voucher v using (${a}) s on false when not matched then do nothing`,
        ...["lock table voucher", "truncate voucher", "listen stolen", "notify stolen", "vacuum", "checkpoint"],
        ...["discard all", "load 'x'", "call secret.pay(1)", "execute stolen", "values (secret.pay(1))"],
        ...[
          "table secret.marker",
          "show all",
          "alter system set work_mem = 1",
          "security label on table voucher is ''",
        ],
      ].map((each) => (typeof each === "string" ? () => each : each)),
    ),
  )
  .map(([{ text }, wrap]) => foreign(wrap(text)));

/** Statements of PostgreSQL: some that are allowed, however they are written, and some with a part that is not. */
export const statement: fc.Arbitrary<GeneratedStatement> = fc.oneof(
  { arbitrary: grammar(0), weight: 3 },
  { arbitrary: grammar(15), weight: 4 },
  { arbitrary: wrapped, weight: 2 },
);
