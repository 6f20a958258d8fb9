import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { openTestFiles, streamOf, testContext, textOf } from "../../test/support/files/files.ts";
import { ConfigError } from "../platform/config-error.ts";
import { openFiles } from "./open-files.ts";
import { openContent } from "./read/open-content.ts";
import { createFile } from "./write/create-file.ts";

test("refuses to start with a key-encryption key that does not open the files' keys, and starts with the right one again", async () => {
  const store = await openTestFiles();
  try {
    const made = await createFile(testContext(store), {
      path: "/a",
      mimeType: "text/plain",
      content: streamOf("kept"),
    });
    const { files: _, ...core } = store.deps;
    const kekFile = join(core.config.dataDir, "keys", "vfs-kek.key");
    const kept = await readFile(kekFile, "utf8");
    await writeFile(kekFile, `${randomBytes(32).toString("hex")}\n`);
    await assert.rejects(
      openFiles(core),
      (error) => error instanceof ConfigError && error.problems[0]?.path === "VFS_KEK",
    );
    await writeFile(kekFile, kept);
    const again = await openFiles(core);
    const opened = await openContent(testContext({ deps: { ...core, files: again.files } }), { ref: { id: made.id } });
    assert.equal(await textOf(opened), "kept");
    await again.close();
  } finally {
    await store.close();
  }
});
