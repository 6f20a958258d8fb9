import assert from "node:assert/strict";
import { test } from "node:test";
import { sql } from "drizzle-orm";
import { onEachDatabase } from "../../../test/support/files/databases.ts";
import { freshNamespace, streamOf } from "../../../test/support/files/files.ts";
import { createFile } from "../write/create-file.ts";

onEachDatabase((stores, name) => {
  const make = async () => {
    const { ctx, owner } = freshNamespace(stores.one);
    const made = await Promise.all(
      ["/a", "/b/c"].map((path) => createFile(ctx, { path, mimeType: "text/plain", content: streamOf(path) })),
    );
    return { owner, ids: made.map(({ id }) => id), lookup: ctx.deps.files.lookup, db: ctx.deps.db };
  };

  test("gives each of concurrent callers the file that it asked for, and nobody another's", async () => {
    const { owner, ids, lookup } = await make();
    const [first = "", second = ""] = ids;
    const found = await Promise.all([
      lookup.byId(owner, second),
      lookup.byId("did:test:another", first),
      lookup.byId(owner, first),
      lookup.byPath(owner, "/b/c"),
      lookup.byPath(owner, "/b"),
      lookup.byPath("did:test:another", "/a"),
      lookup.byPath(owner, "/a"),
    ]);
    assert.deepEqual(
      found.map((file) => file?.path),
      ["/b/c", undefined, "/a", "/b/c", undefined, undefined, "/a"],
    );
  });

  // The embedded database prepares every statement.
  test("prepares its statements once", { skip: name === "PGlite" }, async () => {
    const { owner, ids, lookup, db } = await make();
    for (let turn = 0; turn < 3; turn += 1) {
      await lookup.byId(owner, ids[0] ?? "");
      await lookup.byPath(owner, "/a");
    }
    // Calls that follow each other use the same connection.
    const { rows } = await db.execute<{ name: string }>(sql`select name from pg_prepared_statements order by name`);
    assert.deepEqual(
      rows.map((row) => row.name),
      ["files_by_ids", "files_by_paths"],
    );
  });
});
