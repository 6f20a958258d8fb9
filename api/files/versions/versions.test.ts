import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openContent } from "../read/open-content.ts";
import { readFile } from "../read/read-file.ts";
import { openTestFiles, streamOf, type TestFiles, testContext, textOf } from "../testing.ts";
import { createFile } from "../write/create-file.ts";
import { writeFile } from "../write/write-file.ts";
import { listVersions } from "./list-versions.ts";
import { restoreVersion } from "./restore-version.ts";

let store: TestFiles;
before(async () => {
  store = await openTestFiles();
});
after(() => store.close());

test("keeps every version, and restores one as a new head with the same CID", async () => {
  const ctx = testContext(store);
  const made = await createFile(ctx, { path: "/a.txt", mimeType: "text/plain", content: streamOf("hello world") });
  assert.equal(made.cid, "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e");
  const ref = { id: made.id };
  const second = await writeFile(ctx, { ref, content: streamOf("second") });
  assert.deepEqual([second.changed, second.file.version, second.file.versionsRemaining], [true, 2, 48]);
  const { file } = await restoreVersion(ctx, { ref, version: 1 });
  assert.deepEqual([file.version, file.cid, file.metadata], [3, made.cid, { revertedTo: 1 }]);
  assert.deepEqual(await readFile(ctx, { ref }), file);
  const list = await listVersions(ctx, { ref });
  assert.deepEqual(
    list.versions.map(({ version, current }) => [version, current]),
    [
      [3, true],
      [2, false],
      [1, false],
    ],
  );
  for (const [version, text] of [
    [1, "hello world"],
    [2, "second"],
    [3, "hello world"],
  ] as const) {
    assert.equal(await textOf(await openContent(ctx, { ref, version })), text);
  }
});
