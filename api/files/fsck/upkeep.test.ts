import assert from "node:assert/strict";
import { buffer } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { asc } from "drizzle-orm";
import { createTestWorld, type TestWorld } from "../../../test/support/chain.ts";
import { testAdminKey } from "../../../test/support/core.ts";
import { streamOf, testContext } from "../../../test/support/files/files.ts";
import { newWorkers } from "../../../test/support/workers.ts";
import { openApp } from "../../app.ts";
import type { Deps } from "../../compose.ts";
import type { App } from "../../platform/http/context.ts";
import { createLog } from "../../platform/log.ts";
import { files } from "../records/tables.ts";
import { createFile } from "../write/create-file.ts";
import { Scrubber } from "./scrubber.ts";
import { fileScrubs } from "./tables.ts";

let world: TestWorld;
let deps: Deps;
let close: () => Promise<void>;
let app: App;
before(async () => {
  world = await createTestWorld();
  const config = world.config({ ADMIN_API_KEY: testAdminKey, SCRUB_BYTES_PER_SECOND: "0" });
  ({ app, deps, close } = await openApp(config, createLog(config)));
  for (const path of ["/a", "/b", "/c"]) {
    await createFile(testContext({ deps }), { path, mimeType: "text/plain", content: streamOf(`content of ${path}`) });
  }
});
after(async () => {
  await close();
  await world.close();
});

async function call(path: string, body: unknown = {}, key = testAdminKey) {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await app.request(path, { method: "POST", headers, body: JSON.stringify(body) });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

test("an admin checks the file store while the service runs", async () => {
  const { status, body } = await call("/v1/admin/fsck", { scrub: true });
  assert.equal(status, 200);
  assert.deepEqual([body.clean, body.findings, body.scrubbedBytes], [true, [], 39]);
  assert.equal((await call("/v1/admin/fsck", { mend: true })).status, 400);
});

test("an admin anchors the audit, and the verification finds the root on chain", async () => {
  const anchored = await call("/v1/admin/audit/anchor");
  const [root] = anchored.body.items as { namespaces: number; events: number; transactionHash: string }[];
  assert.deepEqual([root?.namespaces, root?.events], [1, 3]);
  assert.match(root?.transactionHash ?? "", /^0x[0-9a-f]{64}$/);
  const { body } = await call("/v1/admin/audit/verify");
  assert.deepEqual(body, { namespaces: 1, events: 3, roots: { days: 1, anchored: 1 }, faults: [] });
});

test("nobody but an admin may", async () => {
  const made = await app.request("/v1/keys", {
    method: "POST",
    headers: { authorization: `Bearer ${testAdminKey}` },
    body: JSON.stringify({ role: "regulator", name: "regulator" }),
  });
  const { key } = (await made.json()) as { key: string };
  for (const path of ["/v1/admin/fsck", "/v1/admin/audit/verify", "/v1/admin/audit/anchor"]) {
    assert.equal((await call(path, {}, key)).status, 403, path);
    assert.equal((await call(path, {}, "wrong")).status, 401, path);
  }
});

test("reads all content over from where it stopped, tells of damage, and then rests", async () => {
  const { db, clock, files: parts } = deps;
  const rows = await db.select({ id: files.id, blob: files.blob }).from(files).orderBy(asc(files.id));
  assert.equal(rows.length, 3);
  let lines = "";
  const write = (line: string) => {
    lines += line;
  };
  const log = createLog({ logLevel: "info" }, { write });
  const scrubber = new Scrubber({ deps, clock, log, workers: newWorkers(), bytesPerSecond: 1_000_000_000 });
  const pass = () => scrubber.pass();
  const stopped = { id: 1, position: rows[1]?.id ?? "", files: 2, bytes: 26, damaged: 0, beganAt: new Date() };
  await db.insert(fileScrubs).values(stopped);
  await pass();
  assert.match(lines, /"files":3,"bytes":39,"damaged":0/);
  await pass();
  assert.equal(lines.match(/all stored content was read/g)?.length, 1);

  await db.update(fileScrubs).set({ finishedAt: null });
  const blob = rows[0]?.blob ?? "";
  const bytes = await buffer(parts.blobs.get(blob));
  bytes[300] = (bytes[300] ?? 0) ^ 1;
  await parts.blobs.delete(blob);
  await parts.blobs.put(blob, streamOf(bytes));
  await pass();
  assert.match(lines, new RegExp(`"kind":"content-damaged"[^\n]*"fileId":"${rows[0]?.id}"`));
});
