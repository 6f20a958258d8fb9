import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { sql } from "drizzle-orm";
import { createFile } from "../../api/files/write/create-file.ts";
import { openTestFiles, streamOf, testContext } from "../../test/support/files/files.ts";
import { formatAudit, whyUnanchored } from "./format-audit.ts";

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "hearth-upkeep-"));
  const store = await openTestFiles();
  await createFile(testContext(store), { path: "/a", mimeType: "text/plain", content: streamOf("hello world") });
  await store.deps.files.blobs.put(`content/${"0".repeat(32)}`, streamOf("left behind"));
  const whileRunning = await run("fsck.ts", store.deps.config.dataDir);
  assert.deepEqual([whileRunning.code, /in use by process/.test(whileRunning.output)], [1, true]);
  assert.match(whileRunning.output, /POST \/v1\/admin\/fsck/);
  await cp(store.deps.config.dataDir, join(folder, "good"), { recursive: true });
  await store.deps.db.execute(sql`alter table file_events disable trigger user`);
  await store.deps.db.execute(sql`update file_events set kind = 'read'`);
  await cp(store.deps.config.dataDir, join(folder, "bad"), { recursive: true });
  await store.close();
  // The lock still names this process, which lives.
  for (const name of ["good", "bad"]) await rm(join(folder, name, "api-db.lock"), { force: true });
});
after(() => rm(folder, { recursive: true, force: true }));

function run(script: string, dataDir: string, ...args: string[]): Promise<{ code: number; output: string }> {
  const env = { ...process.env, DATA_DIR: dataDir, CHAIN_PORT: "1" };
  return new Promise((resolve) => {
    execFile(process.execPath, [join("scripts", script), ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, output: stdout + stderr });
    });
  });
}

test("fsck says what it checked, tells orphans that are old enough, and repairs them", async () => {
  const dataDir = join(folder, "good");
  const young = await run("fsck.ts", dataDir, "--scrub");
  assert.equal(young.code, 0, young.output);
  assert.match(young.output, /1 files, 1 versions, 2 blobs, 1 key groups, 11 bytes read.*\n1 blobs .* too young/);
  assert.equal((await run("fsck.ts", dataDir, "--grace", "0")).code, 1);
  const repaired = await run("fsck.ts", dataDir, "--grace", "0", "--repair");
  assert.equal(repaired.code, 0, repaired.output);
  assert.match(repaired.output, /Repaired: Blob content\/0+ belongs to no version\.\nClean\./);
  assert.equal((await run("fsck.ts", dataDir, "--grace", "0")).code, 0);
});

test("audit:verify says what it proved, or names the first broken event", async () => {
  const unasked = await run("audit-verify.ts", join(folder, "good"));
  assert.equal(unasked.code, 1, unasked.output);
  assert.match(unasked.output, /Not verified: the roots were not compared/);
  const good = await run("audit-verify.ts", join(folder, "good"), "--unanchored");
  assert.equal(good.code, 0, good.output);
  assert.match(good.output, /^1 event in 1 namespace: each hash fits/);
  assert.match(good.output, /Not compared with the contract/);
  const bad = await run("audit-verify.ts", join(folder, "bad"));
  assert.equal(bad.code, 1);
  assert.match(
    bad.output,
    /BROKEN\. The first fault: event 1 \([0-9A-Z]{26}\) of did:key:z6MkOwner: its hash does not match/,
  );
});

test("audit:verify proves nothing against a contract that lacks the roots which it should have", () => {
  assert.equal(whyUnanchored({ days: 2, anchored: 2 }), undefined);
  assert.equal(whyUnanchored({ days: 1, anchored: 0 }), undefined);
  assert.match(whyUnanchored({ days: 2, anchored: 0, overdue: 2 }) ?? "", /lacks 2 roots that it should have/);
  const report = { namespaces: 1, events: 1, roots: { days: 2, anchored: 0, overdue: 2 }, faults: [] };
  assert.match(formatAudit(report).join("\n"), /0 of them are equal on chain; the chain should have 2 more/);
});

test("neither makes a store where there is none", async () => {
  for (const script of ["fsck.ts", "audit-verify.ts"]) {
    const { code, output } = await run(script, join(folder, "nowhere"));
    assert.deepEqual([code, /^There is no database in .*nowhere/.test(output)], [1, true], output);
  }
});
