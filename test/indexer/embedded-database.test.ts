import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { createDatabase, pglite } from "../../indexer/lib/embedded-database.ts";

test("the indexer's new database has a small cache, and nothing of a start that was killed stays", async (t) => {
  const folder = await mkdtemp(join(tmpdir(), "hearth-index-"));
  t.after(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, "pglite.draft-killed", "base"), { recursive: true });
  await createDatabase(folder);
  assert.deepEqual(await readdir(folder), ["pglite"]);
  const { PGlite } = await import(pglite);
  const database = await PGlite.create(join(folder, "pglite"));
  assert.deepEqual((await database.query("show shared_buffers")).rows, [{ shared_buffers: "16MB" }]);
  await database.close();
});
