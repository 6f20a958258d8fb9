import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe } from "node:test";
import { pathToFileURL } from "node:url";
import { startPostgres, type TestPostgres } from "../postgres.ts";
import { openTestFiles, type TestFiles } from "./files.ts";

/** The stores of one suite: on PGlite one, on PostgreSQL two processes' worth over one database and one folder of blobs. */
export type SuiteStores = { readonly one: TestFiles; readonly two: TestFiles };

/** Define the same tests over PGlite and over PostgreSQL. */
export function onEachDatabase(define: (stores: SuiteStores, name: string) => void, env: Record<string, string> = {}) {
  describe("on PGlite", () => {
    let store: TestFiles;
    before(async () => {
      store = await openTestFiles(env);
    });
    after(() => store.close());
    define(
      storesOf(() => [store, store]),
      "PGlite",
    );
  });
  describe("on PostgreSQL", () => {
    let postgres: TestPostgres;
    let folder: string;
    let stores: [TestFiles, TestFiles];
    before(async () => {
      postgres = await startPostgres();
      folder = await mkdtemp(join(tmpdir(), "hearth-blobs-"));
      const shared = {
        ...env,
        DATABASE_URL: await postgres.createDatabase(),
        BLOB_URL: pathToFileURL(folder).href,
        VFS_KEK: randomBytes(32).toString("hex"),
      };
      stores = await Promise.all([openTestFiles(shared), openTestFiles(shared)]);
    });
    after(async () => {
      for (const store of stores ?? []) await store.close();
      await postgres?.stop();
      await rm(folder, { recursive: true, force: true });
    });
    define(
      storesOf(() => stores),
      "PostgreSQL",
    );
  });
}

function storesOf(find: () => [TestFiles, TestFiles]): SuiteStores {
  return {
    get one() {
      return find()[0];
    },
    get two() {
      return find()[1];
    },
  };
}
