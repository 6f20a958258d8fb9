import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { sql } from "drizzle-orm";
import fc from "fast-check";
import { openTestCore, type TestCore } from "../../../test/support/core.ts";
import { insertFileRows, insertFolderMarks } from "../../../test/support/file-rows.ts";
import { startPostgres, type TestPostgres } from "../../../test/support/postgres.ts";
import type { Database } from "../../platform/db/client.ts";
import {
  ancestorsOf,
  isDotPath,
  isVisible,
  isWithin,
  parentOf,
  segmentsOf,
  type Visibility,
} from "../../platform/ucan/index.ts";
import { type Child, walkChildren } from "../tree/walk-children.ts";
import { comparePaths } from "./path-ranges.ts";
import { scanFiles } from "./scan-files.ts";
import { visibleWhere } from "./visible-where.ts";

// Names that sort on either side of the slash, beyond U+FFFF and before the digits.
const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("a", "a-b", "a0") },
  { weight: 1, arbitrary: fc.constantFrom("b", ".a", "a.b", "\u{1F600}", "\uFFFD", "%") },
);
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => `/${names.join("/")}`);
const folder = fc.oneof({ weight: 1, arbitrary: fc.constant("/") }, { weight: 6, arbitrary: path });
const visibility: fc.Arbitrary<Visibility> = fc.array(
  fc.record({
    prefix: folder,
    reveal: fc.record({
      all: fc.nat(7).map((chance) => chance === 0),
      paths: fc.array(folder, { maxLength: 3 }),
    }),
  }),
  { minLength: 1, maxLength: 3 },
);
const tree = fc.record({
  files: fc.uniqueArray(fc.record({ path, hidden: fc.boolean() }), {
    selector: (file) => file.path,
    minLength: 5,
    maxLength: 40,
  }),
  marks: fc.uniqueArray(folder, { maxLength: 12 }),
  visibility,
  within: fc.oneof(fc.constant("/"), folder),
  marksPerRead: fc.constantFrom(2, 3, 512),
});
type Tree = typeof tree extends fc.Arbitrary<infer T> ? T : never;

/** The rule, told file by file. */
function visiblePaths({ files, marks, visibility, within }: Tree): string[] {
  return files
    .filter(({ path, hidden }) => {
      const above = ancestorsOf(path).some((folder) => marks.includes(folder));
      const subject = { path, hidden: hidden || above || isDotPath(path) };
      return isWithin(within, path) && visibility.some((scope) => isVisible(scope, subject));
    })
    .map(({ path }) => path)
    .sort(comparePaths);
}

function visibleChildren(given: Tree): string[] {
  const depth = segmentsOf(given.within).length + 1;
  const keys = visiblePaths(given)
    .filter((path) => path !== given.within)
    .map((path) => {
      const names = segmentsOf(path);
      return names.length === depth ? path : `/${names.slice(0, depth).join("/")}/`;
    });
  return [...new Set(keys)].sort(comparePaths);
}

let postgres: TestPostgres;
before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

for (const store of ["PGlite", "PostgreSQL"]) {
  describe(`what a caller may see, on ${store}`, () => {
    let core: TestCore;
    let db: Database;
    before(async () => {
      core = await openTestCore(store === "PGlite" ? {} : { DATABASE_URL: await postgres.createDatabase() });
      db = core.deps.db;
    });
    after(() => core.close());

    let namespaces = 0;
    async function plant({ files, marks }: Tree): Promise<string> {
      const namespace = `did:test:${++namespaces}`;
      await insertFileRows(
        db,
        files.flatMap(({ path, hidden }, index) => [
          { id: `${namespace}-${index}`, namespace, path, hidden },
          { id: `${namespace}-${index}-a`, namespace, path, hidden, trashed: true },
          { id: `${namespace}-${index}-b`, namespace, path, hidden, trashed: true },
        ]),
      );
      await insertFolderMarks(
        db,
        marks.map((path) => ({ namespace, path, hidden: true })),
      );
      return namespace;
    }
    const check = (property: (given: Tree) => Promise<void>) =>
      fc.assert(fc.asyncProperty(tree, property), { numRuns: process.env.HEARTH_LONG === "1" ? 5_000 : 150 });

    test("selects the files that the rule names", () =>
      check(async (given) => {
        const namespace = await plant(given);
        const rows = await db.execute<{ path: string }>(sql`
          select path from files where namespace = ${namespace} and trashed_at is null
            and ${visibleWhere(given.visibility, given.within)} order by path`);
        assert.deepEqual(
          rows.rows.map(({ path }) => path),
          visiblePaths(given),
        );
      }));

    test("scans the same files page by page, and the trash twice", () =>
      check(async (given) => {
        const namespace = await plant(given);
        const { visibility, within, marksPerRead } = given;
        for (const [trashed, times] of [
          [false, 1],
          [true, 2],
        ] as const) {
          const seen: string[] = [];
          for (let after: { id: string; path: string } | undefined; ; ) {
            const from = after === undefined ? {} : { from: after.path, after };
            const page = await scanFiles(db, {
              namespace,
              visibility,
              within,
              limit: 3,
              trashed,
              marksPerRead,
              ...from,
            });
            seen.push(...page.map(({ path }) => path));
            after = page.at(-1);
            if (page.length < 3) break;
          }
          assert.deepEqual(
            seen,
            visiblePaths(given).flatMap((path) => Array(times).fill(path)),
          );
        }
      }));

    test("finds the children of a folder page by page", () =>
      check(async (given) => {
        const namespace = await plant(given);
        const seen: string[] = [];
        for (let after: Child | undefined; ; ) {
          const place = after === undefined ? {} : { after };
          const page: Child[] = await walkChildren(db, {
            namespace,
            visibility: given.visibility,
            folder: given.within,
            limit: 2,
            marksPerRead: given.marksPerRead,
            ...place,
          });
          seen.push(...page.map(({ path, id }) => (id === null ? `${path}/` : path)));
          for (const { path } of page) assert.equal(parentOf(path), given.within);
          after = page.at(-1);
          if (page.length < 2) break;
        }
        assert.deepEqual(seen, visibleChildren(given));
      }));
  });
}
