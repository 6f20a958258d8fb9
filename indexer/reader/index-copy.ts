import { Worker } from "node:worker_threads";
import type { Order, Reply, Rows } from "./copy-worker.ts";
import type { Connection, Pglite } from "./pglite.ts";
import { type Answer, type Question, StatementError, tooSlow } from "./reader.ts";

const longestWorkMs = 120_000;
/** Node ends a thread with more memory than this; a new thread makes a new copy. */
const resourceLimits = { maxOldGenerationSizeMb: 1_024 };

type Table = { name: string; quoted: string; keys: string[] };
const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A copy of the index in a separate thread, which is updated with changes; it ends when a statement takes too long. */
export class IndexCopy {
  readonly #index: Pglite;
  readonly #worker = new Worker(new URL("copy-worker.ts", import.meta.url), { resourceLimits });
  readonly #tables: Table[];
  #isOver = false;
  /** For each table: the copy has all transactions before this one. */
  readonly #from = new Map<string, string>();
  /** How many rows each table has in the copy. */
  readonly #counts = new Map<string, number>();
  /** Tables that must be copied whole, by their quoted names. */
  readonly #whole: Set<string>;

  private constructor(index: Pglite, tables: Table[]) {
    this.#index = index;
    this.#tables = tables;
    this.#whole = new Set(tables.map(({ quoted }) => quoted));
    // The process need not wait for the copy to end.
    this.#worker.unref();
    for (const event of ["error", "exit"]) {
      this.#worker.on(event, () => {
        this.#isOver = true;
      });
    }
  }

  static async begin(index: Pglite, schema: string): Promise<IndexCopy> {
    const tables = await tablesOf(index, schema);
    const copy = new IndexCopy(index, tables);
    await copy.#order({ kind: "make", statements: await statementsOf(index, schema, tables) }, longestWorkMs);
    // Existing rows are copied table by table, so that indexing continues in between; changes since then are copied together.
    const from = await newestTransaction(index);
    for (const { table, count } of await changesOf(index, tables, () => "0")) {
      copy.#from.set(table.quoted, from);
      if (count === 0) copy.#whole.delete(table.quoted);
      else await copy.#send([await rowsOf(index, table, count, "0", true)]);
    }
    return copy;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Copy the changes of these tables, all as of one moment. */
  async refresh(mayHaveChanged: (table: string) => boolean): Promise<void> {
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const found = await this.#index.transaction((connection) => this.#gather(connection, mayHaveChanged));
      if (found.rows.length === 0 || (await this.#send(found.rows))) {
        for (const { quoted } of found.asked) this.#from.set(quoted, found.from);
        return;
      }
    }
    this.end();
    throw new Error("The copy of the index still differs from it");
  }

  async #gather(connection: Connection, mayHaveChanged: (table: string) => boolean) {
    const from = await newestTransaction(connection);
    const rows: Rows[] = [];
    const asked = this.#tables.filter(({ name, quoted }) => this.#whole.has(quoted) || mayHaveChanged(name));
    const since = ({ quoted }: Table) => this.#from.get(quoted) ?? "0";
    for (const { table, count, changed } of await changesOf(connection, asked, since)) {
      const whole = this.#whole.has(table.quoted);
      if (!whole && changed === 0 && count === (this.#counts.get(table.quoted) ?? 0)) continue;
      rows.push(await rowsOf(connection, table, count, since(table), whole));
    }
    return { from, asked, rows };
  }

  async ask({ text, parameters, asLists, milliseconds }: Question): Promise<Answer> {
    return (await this.#order({ kind: "ask", text, parameters, asLists: asLists === true }, milliseconds)) as Answer;
  }

  end(): void {
    this.#isOver = true;
    void this.#worker.terminate();
  }

  async #send(rows: Rows[]): Promise<boolean> {
    const wrong = (await this.#order({ kind: "take", rows }, longestWorkMs)) as string[];
    for (const { table, count } of wrong.length === 0 ? rows : []) {
      this.#whole.delete(table);
      this.#counts.set(table, count);
    }
    for (const table of wrong) this.#whole.add(table);
    return wrong.length === 0;
  }

  async #order(order: Order, milliseconds: number): Promise<unknown> {
    const { value, error } = await this.#reply(order, milliseconds);
    if (error === undefined) return value;
    if (error.isOfStatement) throw new StatementError(error.message);
    this.end();
    throw order.kind === "ask"
      ? new StatementError(`The statement could not be answered: ${error.message}.`)
      : new Error(error.message);
  }

  #reply(order: Order, milliseconds: number): Promise<Reply> {
    const worker = this.#worker;
    return new Promise((resolve, reject) => {
      const done = () => {
        clearTimeout(clock);
        for (const [event, listener] of Object.entries(listeners)) worker.off(event, listener);
      };
      const fail = (error: Error) => {
        done();
        this.end();
        reject(error);
      };
      const clock = setTimeout(() => fail(new StatementError(tooSlow(milliseconds))), milliseconds);
      const gone = () => fail(new StatementError("The statement needed too much memory."));
      const listeners = {
        message: (reply: Reply) => {
          done();
          resolve(reply);
        },
        error: gone,
        exit: gone,
      };
      for (const [event, listener] of Object.entries(listeners)) worker.on(event, listener);
      worker.postMessage(order);
    });
  }
}

async function newestTransaction(connection: Connection): Promise<string> {
  const { rows } = await connection.query("select pg_snapshot_xmax(pg_current_snapshot())::text as next");
  return (rows[0] as { next: string }).next;
}

type Change = { table: Table; count: number; changed: number };

/** Count the tables' rows, and those that later transactions wrote, by each row's last transaction. */
async function changesOf(connection: Connection, tables: Table[], since: (table: Table) => string): Promise<Change[]> {
  const parts = tables.map(
    (table, i) =>
      `select ${i} as i, count(*)::int as count,
         (count(*) filter (where xmin::text::bigint >= ${since(table)}))::int as changed from ${table.quoted}`,
  );
  const { rows } = await connection.query(parts.join(" union all "));
  return (rows as { i: number; count: number; changed: number }[]).flatMap(({ i, ...counted }) => {
    const table = tables[i];
    return table === undefined ? [] : [{ table, ...counted }];
  });
}

async function rowsOf(
  connection: Connection,
  { quoted, keys }: Table,
  count: number,
  from: string,
  whole: boolean,
): Promise<Rows> {
  const changed = whole ? "" : `where xmin::text::bigint >= ${from}`;
  const copied = `copy (select * from ${quoted} ${changed}) to '/dev/blob' with (format binary)`;
  const { blob } = await connection.query(copied);
  return { table: quoted, keys, count, whole, bytes: await (blob ?? new Blob()).arrayBuffer() };
}

/** The public tables and Ponder's checkpoint table, each with its primary key. */
async function tablesOf(index: Connection, schema: string): Promise<Table[]> {
  const { rows } = await index.query(
    `select c.relname as name, array_to_json(array_agg(a.attname order by array_position(i.indkey::int[], a.attnum::int))) as keys
     from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_index i on i.indrelid = c.oid and i.indisprimary
       join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
     where n.nspname = $1 and c.relkind = 'r' and (c.relname !~ '^_' or c.relname = '_ponder_checkpoint')
     group by c.relname order by 1`,
    [schema],
  );
  return (rows as { name: string; keys: string[] }[]).map(({ name, keys }) => ({
    name,
    quoted: `${quote(schema)}.${quote(name)}`,
    keys: keys.map(quote),
  }));
}

/** SQL that creates the same tables, indexes and views in the copy, for a role that can only read them. */
async function statementsOf(index: Connection, schema: string, tables: Table[]): Promise<string[]> {
  const texts = async (question: string) =>
    (await index.query(question, [schema])).rows.map((row) => (row as { text: string }).text);
  const names = new Set(tables.map(({ name }) => name));
  const { rows } = await index.query(
    `select c.relname as name, string_agg(quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod) ||
       case when a.attnotnull then ' not null' else '' end, ', ' order by a.attnum) as columns
     from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped group by c.relname`,
    [schema],
  );
  const made = (rows as { name: string; columns: string }[])
    .filter(({ name }) => names.has(name))
    .map(({ name, columns }) => `create table ${quote(schema)}.${quote(name)} (${columns})`);
  const indexes = await texts(
    `select pg_get_indexdef(i.indexrelid) as text from pg_index i join pg_class c on c.oid = i.indrelid
     join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and (c.relname !~ '^_' or c.relname = '_ponder_checkpoint')`,
  );
  const views = await texts(
    `select 'create view ' || quote_ident(n.nspname) || '.' || quote_ident(c.relname) || ' as ' || pg_get_viewdef(c.oid) as text
     from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relkind = 'v' order by c.oid`,
  );
  const settings = [
    `search_path to ${quote(schema)}`,
    "enable_seqscan to on",
    "work_mem to '16MB'",
    "temp_file_limit to '256MB'",
  ];
  return [
    ...[`create schema ${quote(schema)}`, "create role reader"],
    ...settings.map((each) => `set ${each}`),
    ...made,
    ...indexes,
    ...views,
    ...[
      `grant usage on schema ${quote(schema)} to reader`,
      `grant select on all tables in schema ${quote(schema)} to reader`,
    ],
  ];
}
