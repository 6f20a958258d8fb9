import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  countTraces,
  openTestFiles,
  streamOf,
  type TestFiles,
  testContext,
  textOf,
} from "../../../../test/support/files/files.ts";
import type { Database, Transaction } from "../../../platform/db/client.ts";
import type { FileContext } from "../../deps.ts";
import { openContent } from "../../read/open-content.ts";
import { createFile } from "../create-file.ts";
import { writeFile } from "../write-file.ts";
import { Committer } from "./committer.ts";

let store: TestFiles;
before(async () => {
  store = await openTestFiles();
});
after(() => store.close());

type Work = (tx: Transaction) => Promise<unknown>;

/** The store over a database whose transactions run as `transaction` runs them. */
function contextOver(owner: string, transaction: (work: Work) => Promise<unknown>): FileContext {
  const { db, log } = store.deps;
  const altered: Database = Object.create(db, { transaction: { value: transaction } });
  const committer = new Committer({ db: altered, log, lanes: 1 });
  return testContext({ deps: { ...store.deps, files: { ...store.deps.files, committer } } }, owner);
}

const text = (path: string, content = path) => ({ path, mimeType: "text/plain", content: streamOf(content) });

test("acknowledges a write whose commit took place although the connection broke", async () => {
  let breaks = 0;
  const ctx = contextOver("did:key:zBroken", async (work) => {
    const result = await store.deps.db.transaction(work);
    breaks += 1;
    if (breaks <= 2) throw new Error("the connection broke after the commit");
    return result;
  });
  const made = await createFile(ctx, text("/a", "one"));
  const { file } = await writeFile(ctx, { ref: { id: made.id }, content: streamOf("two") });
  assert.deepEqual([breaks, made.version, file.version, file.versionsRemaining], [2, 1, 2, 48]);
  assert.equal(await textOf(await openContent(ctx, { ref: { id: made.id } })), "two");
  assert.equal(await textOf(await openContent(ctx, { ref: { id: made.id }, version: 1 })), "one");
});

test("deletes the bytes when an interrupted commit did not happen", async () => {
  await createFile(testContext(store, "did:key:zUndone"), text("/warm"));
  const before = await countTraces(store.deps);
  // The work is done, then the transaction is rolled back as a broken connection's is.
  const ctx = contextOver("did:key:zUndone", (work) =>
    store.deps.db.transaction(async (tx) => {
      await work(tx);
      throw new Error("the connection broke before the commit");
    }),
  );
  await assert.rejects(createFile(ctx, text("/a")), /broke before the commit/);
  assert.deepEqual(await countTraces(store.deps), before);
});

test("tries the orders of a failed batch one by one, so that one that cannot be written fails alone", async () => {
  const ctx = testContext(store, "did:key:zPoison");
  await createFile(ctx, text("/warm"));
  const before = await countTraces(store.deps);
  const { committer } = store.deps.files;
  const poison: Committer = Object.create(committer, {
    submit: {
      value: (order: Parameters<Committer["submit"]>[0]) =>
        // No text column takes a NUL: the statement fails whatever else is in it.
        committer.submit({ ...order, event: { ...order.event, tokenCid: "\0" } }),
    },
  });
  const poisoned = testContext(
    { deps: { ...store.deps, files: { ...store.deps.files, committer: poison } } },
    "did:key:zPoison",
  );
  const outcomes = await Promise.allSettled(
    Array.from({ length: 12 }, (_, i) => createFile(i === 5 ? poisoned : ctx, text(`/p/${i}`))),
  );
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    outcomes.map((_, i) => (i === 5 ? "rejected" : "fulfilled")),
  );
  const after = await countTraces(store.deps);
  assert.deepEqual(
    [after.files, after.blobs, after.events],
    [before.files + 11, before.blobs + 11, before.events + 11],
  );
});
