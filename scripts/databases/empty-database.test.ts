import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { PGlite } from "@electric-sql/pglite";
import { emptyDatabase, readEmptyArchive } from "./empty-database.ts";
import { fillFolder, keepFolder, placeFolder } from "./kept-folder.ts";

const pglite = import.meta.resolve("@electric-sql/pglite");
const userTables = "select count(*)::int as n from pg_tables where schemaname = 'public'";

describe("a new embedded database", () => {
  let home: string;
  before(async () => {
    home = await mkdtemp(join(tmpdir(), "hearth-empty-"));
  });
  after(() => rm(home, { recursive: true, force: true }));

  it("is empty, and what is written to it reaches neither the next one nor the kept one", async () => {
    const kept = await keepFolder(emptyDatabase(pglite));
    assert.ok(kept !== undefined, "It is kept with the packages.");
    const untouched = digestOf(kept);
    const [first, second] = [join(home, "first"), join(home, "second")];
    for (const folder of [first, second])
      await placeFolder(folder, (draft) => fillFolder(draft, emptyDatabase(pglite)));
    const database = await PGlite.create(first);
    assert.deepEqual((await database.query(userTables)).rows, [{ n: 0 }]);
    await database.exec("create table voucher (id int primary key); insert into voucher values (1)");
    await database.close();
    const other = await PGlite.create(second);
    assert.deepEqual((await other.query(userTables)).rows, [{ n: 0 }]);
    await other.close();
    const again = await PGlite.create(first);
    assert.deepEqual((await again.query("select id from voucher")).rows, [{ id: 1 }]);
    await again.close();
    assert.equal(digestOf(kept), untouched);
  });

  it("in memory starts from the archive, empty and writable", async () => {
    const loadDataDir = await readEmptyArchive(pglite);
    assert.ok(loadDataDir !== undefined, "It is kept with the packages.");
    const database = await PGlite.create({ loadDataDir });
    assert.deepEqual((await database.query(userTables)).rows, [{ n: 0 }]);
    await database.exec("create table voucher (id int primary key); insert into voucher values (1)");
    assert.deepEqual((await database.query("select id from voucher")).rows, [{ id: 1 }]);
    await database.close();
  });

  it("is another one for another version of PGlite", async () => {
    const entry = join(home, "pglite", "dist", "index.js");
    await mkdir(join(entry, ".."), { recursive: true });
    const versions = [];
    for (const version of ["0.5.14", "0.5.15"]) {
      await writeFile(join(home, "pglite", "package.json"), JSON.stringify({ version }));
      versions.push(emptyDatabase(pathToFileURL(entry).href).version);
    }
    assert.equal(new Set(versions).size, 2);
  });
});

/** Digest of all names and contents in a folder. */
function digestOf(folder: string): string {
  const hash = createHash("sha256");
  for (const entry of globSync("**/*", { cwd: folder, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    hash.update(path);
    if (entry.isFile()) hash.update(readFileSync(path));
  }
  return hash.digest("hex");
}
