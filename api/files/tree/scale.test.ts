import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { fillPlaceholders, type Query, type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";
import { insertFileRows, insertFolderMarks } from "../../../test/support/file-rows.ts";
import { openTestFiles, type TestFiles, testContext } from "../../../test/support/files/files.ts";
import { startPostgres, type TestPostgres } from "../../../test/support/postgres.ts";
import { seededId, seedFiles } from "../../../test/support/seed-files.ts";
import type { Database } from "../../platform/db/client.ts";
import type { Visibility } from "../../platform/ucan/index.ts";
import { type fileColumns, Lookup } from "../records/lookup.ts";
import { files } from "../records/tables.ts";
import { searchCandidates } from "../search/search-candidates.ts";
import { scanFiles } from "../visibility/scan-files.ts";
import { visibleWhere } from "../visibility/visible-where.ts";
import { readState } from "../write/commit/commit-batch.ts";
import type { CommitOrder } from "../write/commit/commit-order.ts";
import { pathKey } from "../write/commit/order-check.ts";
import { countFiles } from "./count-files.ts";
import { walkChildren } from "./walk-children.ts";

type Plan = {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  Plans?: Plan[];
};
/** Client of either database. */
type Client = {
  query: (text: string, values: unknown[]) => Promise<{ rows: { "QUERY PLAN": { Plan: Plan }[] }[] }>;
};
/** `entries`: of indexes that were read before the rows. */
type Work = { rows: number; entries: number; sequential: string[]; indexes: Set<string> };
const noWork = (): Work => ({ rows: 0, entries: 0, sequential: [], indexes: new Set() });

/** What statements over a table did, by their own account: how many of its rows they looked at, and through which indexes. */
function workOn(table: string, plan: Plan, work: Work): Work {
  if (plan["Relation Name"] === table) {
    const removed = (plan["Rows Removed by Filter"] ?? 0) + (plan["Rows Removed by Index Recheck"] ?? 0);
    work.rows += (plan["Actual Rows"] + removed) * plan["Actual Loops"];
    if (plan["Node Type"] === "Seq Scan") work.sequential.push(table);
  }
  if (plan["Index Name"] !== undefined && plan["Actual Loops"] > 0) work.indexes.add(plan["Index Name"]);
  const isBitmap = plan["Node Type"] === "Bitmap Index Scan" && plan["Index Name"]?.startsWith(`${table}_`);
  if (isBitmap) work.entries += plan["Actual Rows"] * plan["Actual Loops"];
  for (const below of plan.Plans ?? []) workOn(table, below, work);
  return work;
}

/** A database that runs each statement twice: once to be explained. */
function explained(db: Database) {
  const plans: Plan[] = [];
  const watch = (base: Pick<Database, "execute">) => ({
    execute: async (statement: SQL) => {
      if (!/^\s*(select|with)/.test(textOf(statement))) return base.execute(statement);
      const found = await base.execute<{ "QUERY PLAN": { Plan: Plan }[] }>(
        sql`explain (analyze, format json) ${statement}`,
      );
      plans.push(...found.rows.flatMap((row) => row["QUERY PLAN"].map(({ Plan }) => Plan)));
      return base.execute(statement);
    },
  });
  const transaction = (run: (tx: unknown) => Promise<unknown>) => db.transaction((tx) => run(watch(tx)));
  const work = (table: string) => plans.reduce((sum, plan) => workOn(table, plan, sum), noWork());
  // What is prepared is not explained.
  const select = db.select.bind(db);
  return { db: { ...watch(db), select, transaction } as unknown as Database, work };
}

function textOf(statement: SQL): string {
  return new PgDialect().sqlToQuery(statement).sql;
}

const all: Visibility = [{ prefix: "/", reveal: { all: false, paths: [] } }];
const filesAbove = 6_000;
const markedFolders = 3_000;
const limit = 10;

let postgres: TestPostgres;
before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

for (const store of ["PGlite", "PostgreSQL"]) {
  describe(`finding a few among many, on ${store}`, () => {
    let stores: TestFiles;
    let db: Database;
    const namespace = "did:test:many";
    before(async () => {
      stores = await openTestFiles(store === "PGlite" ? {} : { DATABASE_URL: await postgres.createDatabase() });
      db = stores.deps.db;
      const many = (path: (index: number) => string, more = {}) =>
        Array.from({ length: filesAbove }, (_, index) => ({ id: path(index), namespace, path: path(index), ...more }));
      // These sort before the few visible ones: files in a hidden folder, dot files, hidden files, and many small hidden folders.
      await insertFileRows(
        db,
        many((index) => `/a/deep/${index}`),
      );
      await insertFileRows(
        db,
        many((index) => `/b/.${index}`),
      );
      await insertFileRows(
        db,
        many((index) => `/c/${index}`, { hidden: true }),
      );
      const folders = Array.from({ length: markedFolders }, (_, index) => `/d/${String(index).padStart(5, "0")}`);
      await insertFileRows(
        db,
        folders.map((folder) => ({ id: folder, namespace, path: `${folder}/file` })),
      );
      const hidden = ["/a", ...folders, ...folders.map((folder) => `/e${folder}/empty`)];
      await insertFolderMarks(
        db,
        hidden.map((path) => ({ namespace, path, hidden: true })),
      );
      await insertFileRows(
        db,
        many((index) => `/z/${index % 5}/${index}`),
      );
      // A neighbour, so that the namespace does not stand for the table.
      await insertFileRows(
        db,
        many((index) => `/z/${index}`).map((row) => ({ ...row, id: `n${row.id}`, namespace: "n" })),
      );
      await insertFileRows(
        db,
        many((index) => `/t/.${index}`, { trashed: true }),
      );
      await insertFileRows(
        db,
        many((index) => `/t/z/${index}`, { trashed: true }),
      );
      // Nobody gathers statistics for the embedded database: there the plans must be right without.
      if (store === "PostgreSQL")
        for (const table of ["files", "folder_flags"]) await db.execute(sql.raw(`analyze ${table}`));
    });
    after(() => stores.close());

    test("lists the first files after all that is hidden by reading hardly more rows than it shows", async () => {
      const { db: watched, work } = explained(db);
      const found = await scanFiles(watched, { namespace, visibility: all, limit });
      assert.deepEqual([found.length, found[0]?.path], [limit, "/z/0/0"]);
      const { rows, sequential, indexes } = work("files");
      assert.deepEqual(sequential, []);
      assert.ok(rows <= limit + 5, `${rows} rows for ${limit}`);
      assert.ok(indexes.has("files_shown") && indexes.has("folder_flags_hidden"), [...indexes].join());
      const marks = work("folder_flags");
      assert.ok(marks.rows <= 2 * markedFolders + 100, `${marks.rows} marks`);
    });

    test("finds out which of the paths that are to be written are taken by reading them alone", async () => {
      const { db: watched, work } = explained(db);
      const lookup = new Lookup(watched);
      const paths = ["/z/0/0", "/none", "/a/deep/3"];
      const marks = await Promise.all(paths.map((path) => lookup.marksAt(namespace, path)));
      assert.deepEqual(
        marks.map(({ taken, hidden }) => [taken, hidden]),
        [
          [true, false],
          [false, false],
          [true, true],
        ],
      );
      const orders = paths.map((path) => ({
        kind: "create",
        namespace,
        fileId: path,
        path,
        keyGroup: "g",
        reservations: [],
      }));
      const state = await watched.transaction((tx) => readState(tx, orders as unknown as CommitOrder[]));
      assert.deepEqual([...state.taken].sort(), [pathKey(namespace, "/a/deep/3"), pathKey(namespace, "/z/0/0")]);
      const { rows, sequential } = work("files");
      assert.deepEqual(sequential, []);
      assert.ok(rows > 0 && rows <= 4 * paths.length, `${rows} rows for ${paths.length} paths`);
    });

    test("finds the heads that are to be replaced by reading them alone", async () => {
      const { db: watched, work } = explained(db);
      const ids = ["/z/0/0", "/c/7", "/t/z/1", "/none"];
      const orders = ids.map((id) => ({
        kind: "replace",
        namespace,
        fileId: id,
        path: id,
        keyGroup: "g",
        reservations: [],
      }));
      const state = await watched.transaction((tx) => readState(tx, orders as unknown as CommitOrder[]));
      assert.deepEqual([...state.heads.keys()].sort(), ["/c/7", "/z/0/0"]);
      const { rows, entries, sequential } = work("files");
      assert.deepEqual(sequential, []);
      assert.ok(
        rows > 0 && rows + entries <= 4 * ids.length,
        `${rows} rows and ${entries} entries for ${ids.length} files`,
      );
    });

    test("finds files by their paths by reading them alone", async () => {
      const { $client: client } = db as unknown as { $client: Client };
      const explain = async ({ sql: statement, params }: Query, values: Record<string, unknown>) => {
        const explained = await client.query(
          `explain (analyze, format json) ${statement}`,
          fillPlaceholders(params, values),
        );
        const plans = explained.rows.flatMap((row) => row["QUERY PLAN"].map(({ Plan }) => Plan));
        return plans.reduce((sum, plan) => workOn("files", plan, sum), noWork());
      };
      const works: Work[] = [];
      const select = (columns: typeof fileColumns) => ({
        from: () => ({
          where: (condition: SQL) => ({
            prepare: (name: string) => ({
              execute: async (values: Record<string, unknown>) => {
                const query = db.select(columns).from(files).where(condition);
                works.push(await explain(query.toSQL(), values));
                return await query.prepare(name).execute(values);
              },
            }),
          }),
        }),
      });
      const lookup = new Lookup({ select } as unknown as Database);
      for (const asked of [["/z/0/0"], ["/z/0/0", "/z/1/1", "/c/7", "/none"]]) {
        const found = await Promise.all(asked.map((path) => lookup.byPath(namespace, path)));
        assert.deepEqual(
          found.map((file) => file?.path),
          asked.map((path) => (path === "/none" ? undefined : path)),
        );
      }
      assert.equal(works.length, 2);
      for (const { rows, sequential } of works) {
        assert.deepEqual(sequential, []);
        assert.ok(rows <= 10, `${rows} rows`);
      }
    });

    test("lists the trash by its index, and reads hardly more rows than it shows", async () => {
      const { db: watched, work } = explained(db);
      const found = await scanFiles(watched, { namespace, visibility: all, limit, trashed: true });
      assert.deepEqual([found.length, found[0]?.path], [limit, "/t/z/0"]);
      const { rows, sequential } = work("files");
      assert.deepEqual(sequential, []);
      assert.ok(rows <= limit + 5, `${rows} rows for ${limit}`);
    });

    test("finds the children of a folder by a step of the index for each", async () => {
      const { db: watched, work } = explained(db);
      const found = await walkChildren(watched, { namespace, visibility: all, folder: "/z", limit });
      assert.deepEqual(
        found.map(({ path }) => path),
        ["/z/0", "/z/1", "/z/2", "/z/3", "/z/4"],
      );
      const { rows, sequential } = work("files");
      assert.deepEqual(sequential, []);
      assert.ok(rows <= 2 * limit, `${rows} rows for 5 children`);
    });

    test("counts what is below folders no further than it says", async () => {
      const { db: watched, work } = explained(db);
      const counts = await countFiles(watched, { namespace, visibility: all, folders: ["/a", "/z/0", "/z/1"] });
      assert.deepEqual([counts.get("/z/0"), counts.get("/a")], [{ files: 50, more: true }, undefined]);
      assert.ok(work("files").rows <= 110);
    });

    test("judges a row by a probe for each folder above it, however many folders are marked", async () => {
      const { db: watched, work } = explained(db);
      await watched.execute(sql`
        select id from files where namespace = ${namespace} and path like '/a/deep/10%' and ${visibleWhere(all)}`);
      assert.ok(work("folder_flags").rows <= 2_000, `${work("folder_flags").rows} marks for some 1 100 files`);
    });

    test("searches by the index of tags", async () => {
      const searched = "did:test:searched";
      const words = (index: number) => ["common", `n${index % 100}`, `u${index}`];
      await seedFiles(stores.deps, { namespace: searched, count: 2_000, path: (index) => `/${index}`, words });
      const ctx = testContext(stores, searched);
      const { db: watched, work } = explained(db);
      const from = { after: "", group: "", fileId: "" };
      const query = { words: ["common", "u1234"], within: "/", from };
      const found: string[] = [];
      const watchedContext = { ...ctx, deps: { ...ctx.deps, db: watched } };
      for await (const { id } of searchCandidates(watchedContext, query)) found.push(id);
      assert.deepEqual(found, [seededId(searched, 1234)]);
      assert.ok(work("file_words").indexes.has("file_words_tags"));
      assert.deepEqual(work("file_words").sequential, []);
      assert.ok(work("files").rows <= 5);
      const { db: first, work: firstWork } = explained(db);
      const common = searchCandidates({ ...ctx, deps: { ...ctx.deps, db: first } }, { ...query, words: ["common"] });
      for (let hits = 0; hits < 20; hits++) await common.next();
      // One statement's worth, however many files have the word.
      assert.ok(firstWork("files").rows <= 100, `${firstWork("files").rows} rows for 20 candidates`);
    });

    test("leaves nothing in the index's list of new entries when it has looked into many groups", async () => {
      const searched = "did:test:settled";
      // Ten key groups.
      await seedFiles(stores.deps, {
        namespace: searched,
        count: 2_560,
        path: (index) => `/${index}`,
        words: () => ["w"],
      });
      const query = { words: ["absent"], within: "/", from: { after: "", group: "", fileId: "" } };
      for await (const _ of searchCandidates(testContext(stores, searched), query))
        assert.fail("there is no such word");
      const { rows } = await db.execute<{ pages: number | string }>(
        sql`select gin_clean_pending_list('file_words_tags') as pages`,
      );
      assert.equal(Number(rows[0]?.pages), 0);
    });

    test("searches a folder of few files among those alone", async () => {
      const searched = "did:test:scoped";
      const path = (index: number) => (index < 20 ? `/few/${index}` : `/many/${index}`);
      await seedFiles(stores.deps, { namespace: searched, count: 2_000, path, words: () => ["common"] });
      const from = { after: "", group: "", fileId: "" };
      for (const [scope, within] of [
        ["/few", "/"],
        ["/", "/few"],
      ] as const) {
        const ctx = testContext(stores, searched, { path: scope });
        const { db: watched, work } = explained(db);
        const found: string[] = [];
        const watchedContext = { ...ctx, deps: { ...ctx.deps, db: watched } };
        for await (const { id } of searchCandidates(watchedContext, { words: ["common"], within, from }))
          found.push(id);
        assert.equal(found.length, 20);
        // Those of their key group at most.
        assert.ok(work("file_words").rows <= 600, `${work("file_words").rows} of words`);
        assert.ok(work("files").rows <= 100, `${work("files").rows} of files`);
      }
    });
  });
}
