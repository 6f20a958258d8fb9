import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { open, readFile, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { eq, sql } from "drizzle-orm";
import { openTestFiles, streamOf, type TestFiles, testContext, testOwner } from "../../../test/support/files/files.ts";
import { fileKeyGroups, retiredSecrets } from "../keys/tables.ts";
import { files, fileVersions, purgeReceipts } from "../records/tables.ts";
import { createFile } from "../write/create-file.ts";
import { writeFile as writeVersion } from "../write/write-file.ts";
import { type FsckOptions, runFsck } from "./fsck.ts";

const schemeKey = "9".repeat(64);
const large = randomBytes(2_500_000);

describe("fsck", () => {
  let store: TestFiles;
  let fileId: string;
  // Every test puts back what it harms.
  after(() => store.close());
  before(async () => {
    store = await openTestFiles();
    const ctx = testContext(store);
    const made = await createFile(ctx, { path: "/a.txt", mimeType: "text/plain", content: streamOf("first") });
    fileId = made.id;
    await writeVersion(ctx, { ref: { id: fileId }, content: streamOf(large) });
    await createFile(ctx, { path: "/b", mimeType: "application/octet-stream", content: streamOf("") });
  });

  const check = (options: Partial<FsckOptions> = {}) =>
    runFsck(store.deps, { schemeKey, chain: undefined, graceMs: 0, scrub: true, ...options });
  const kinds = async (options: Partial<FsckOptions> = {}) => (await check(options)).findings.map(({ kind }) => kind);
  const headBlob = async () => {
    const [row] = await store.deps.db.select().from(files).where(eq(files.id, fileId));
    const [kind = "", id = ""] = (row?.blob ?? "").split("/");
    return join(store.deps.config.dataDir, "files", kind, id.slice(0, 2), id);
  };
  const isRepaired = async (kind: string) => {
    const report = await check({ repair: true });
    assert.deepEqual(
      report.findings.map((finding) => [finding.kind, finding.repaired]),
      [[kind, true]],
    );
    assert.equal(report.clean, true);
    assert.deepEqual(await kinds(), []);
  };

  test("finds nothing wrong in a store that nobody touched", async () => {
    const { findings, clean, checked, scrubbedBytes, audit } = await check();
    assert.deepEqual([findings, clean], [[], true]);
    assert.deepEqual(checked, { files: 2, versions: 3, groups: 1, blobs: 3 });
    assert.equal(scrubbedBytes, 5 + large.length);
    assert.equal(audit.events, 3);
  });

  test("names the version whose blob is gone or cut, and repairs nothing there", async (t) => {
    const path = await headBlob();
    const whole = await readFile(path);
    t.after(() => writeFile(path, whole));
    await truncate(path, 1000);
    const [cut] = (await check({ scrub: false })).findings;
    assert.deepEqual([cut?.kind, cut?.fileId, cut?.version], ["blob-length", fileId, 2]);
    await rm(path);
    const report = await check({ repair: true });
    assert.deepEqual(
      [report.findings[0]?.kind, report.findings[0]?.repaired, report.clean],
      ["blob-missing", false, false],
    );
  });

  test("names the version with a bit turned over, by the scrub alone", async (t) => {
    const turnOver = async () => {
      const file = await open(await headBlob(), "r+");
      const { buffer } = await file.read(Buffer.alloc(1), { position: 1_500_000 });
      await file.write(Buffer.from([(buffer[0] ?? 0) ^ 1]), { position: 1_500_000 });
      await file.close();
    };
    await turnOver();
    t.after(turnOver);
    assert.deepEqual(await kinds({ scrub: false }), []);
    const { findings } = await check();
    assert.deepEqual([findings[0]?.kind, findings[0]?.version], ["content-damaged", 2]);
    assert.match(findings[0]?.message ?? "", /Segment 1 of version 2/);
  });

  test("notices versions whose bytes were exchanged", async (t) => {
    const { db } = store.deps;
    const exchange = async () => {
      const [head] = await db.select().from(files).where(eq(files.id, fileId));
      const [old] = await db.select().from(fileVersions).where(eq(fileVersions.fileId, fileId));
      assert.ok(head && old);
      await db.update(files).set({ blob: old.blob, size: old.size }).where(eq(files.id, fileId));
      await db.update(fileVersions).set({ blob: head.blob, size: head.size }).where(eq(fileVersions.fileId, fileId));
    };
    await exchange();
    t.after(exchange);
    assert.deepEqual(await kinds(), ["content-damaged", "content-damaged"]);
  });

  test("collects blobs and secrets that nothing names, once they are old enough", async () => {
    const { blobs } = store.deps.files;
    const orphan = `content/${"0".repeat(32)}`;
    await blobs.put(orphan, streamOf("left behind"));
    const report = await check({ graceMs: 60_000 });
    assert.deepEqual([report.clean, report.young.blobs], [true, 1]);
    await isRepaired("blob-orphaned");
    assert.equal(await blobs.stat(orphan), undefined);
    await blobs.put(`secrets/${"0".repeat(32)}`, streamOf("{}"));
    await isRepaired("secret-orphaned");
  });

  test("finishes purges and destroys secrets that a stop left", async () => {
    const { db, files: parts } = store.deps;
    const blob = `content/${"1".repeat(32)}`;
    await parts.blobs.put(blob, streamOf("purged"));
    const receipt = { fileId: "01GONE", namespace: testOwner, receipt: "jws", purgedAt: new Date() };
    await db.insert(purgeReceipts).values({ ...receipt, blobs: [blob] });
    await isRepaired("purge-unfinished");
    assert.equal(await parts.blobs.stat(blob), undefined);
    const secretId = "2".repeat(32);
    await parts.blobs.put(`secrets/${secretId}`, streamOf("{}"));
    await db.insert(retiredSecrets).values({ secretId, retiredAt: new Date() });
    await isRepaired("secret-retired");
    assert.equal(await parts.blobs.stat(`secrets/${secretId}`), undefined);
  });

  test("names files whose keys are lost, and destroys no secret meanwhile", async (t) => {
    const { db, files: parts } = store.deps;
    const [old] = await db.select().from(fileVersions);
    const [group] = await db.select().from(fileKeyGroups);
    assert.ok(old && group);
    t.after(async () => {
      await db.update(fileVersions).set({ versionKey: old.versionKey });
      await db.update(fileKeyGroups).set({ secretId: group.secretId });
    });
    await db.update(fileVersions).set({ versionKey: randomBytes(40) });
    assert.deepEqual(await kinds(), ["key-unreadable"]);
    await db.update(fileKeyGroups).set({ secretId: "3".repeat(32) });
    const lost = await check({ repair: true });
    assert.deepEqual(new Set(lost.findings.map(({ kind }) => kind)), new Set(["secret-missing", "secret-orphaned"]));
    assert.notEqual(await parts.blobs.stat(`secrets/${group.secretId}`), undefined);
  });

  test("corrects counts that differ from the rows", async () => {
    const { db } = store.deps;
    await db.update(files).set({ retained: 7 }).where(eq(files.id, fileId));
    await isRepaired("count-wrong");
    await db.execute(sql`update namespaces set bytes = 1, versions = versions + 1`);
    await isRepaired("count-wrong");
  });

  test("tells of a broken audit", async () => {
    await store.deps.db.execute(sql`update namespaces set audit_sequence = 9`);
    const { findings, clean } = await check({ repair: true });
    assert.deepEqual([findings[0]?.kind, findings[0]?.repaired, clean], ["audit-broken", false, false]);
  });
});
