import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { FolderSyncs } from "./folder-syncs.ts";

async function withFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "hearth-syncs-"));
  try {
    await run(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("lets many callers of a folder share one call, which begins after they came", () =>
  withFolder(async (folder) => {
    const syncs = new FolderSyncs();
    await syncs.sync(folder);
    const first = syncs.sync(folder);
    let firstDone = false;
    const seen = first.then(() => {
      firstDone = true;
    });
    const others = Array.from({ length: 100 }, () => syncs.sync(folder));
    // The call under way is not theirs.
    await Promise.all([seen, ...others.map((other) => other.then(() => assert.ok(firstDone)))]);
    assert.deepEqual([new Set(others).size, others.includes(first)], [1, false]);
    await syncs.close();
  }));

test("tells every caller that a folder is missing, and finds it when it is there", () =>
  withFolder(async (folder) => {
    const syncs = new FolderSyncs();
    const later = join(folder, "later");
    const asked = await Promise.allSettled([syncs.sync(later), syncs.sync(later), syncs.sync(later)]);
    assert.deepEqual(
      asked.map(({ status }) => status),
      ["rejected", "rejected", "rejected"],
    );
    await mkdir(later);
    await syncs.sync(later);
    await syncs.close();
  }));
