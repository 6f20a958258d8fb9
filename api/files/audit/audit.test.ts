import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { asc, eq, sql } from "drizzle-orm";
import { openTestCore, type TestCore } from "../../../test/support/core.ts";
import { startPostgres, type TestPostgres } from "../../../test/support/postgres.ts";
import { namespaces } from "../records/tables.ts";
import { Audit } from "./audit.ts";
import type { FileEvent } from "./event.ts";
import { hashEvent } from "./event-hash.ts";
import { fileEvents } from "./tables.ts";

const alice = "did:key:alice";
const bob = "did:key:bob";
const written = (namespace: string, version: number): FileEvent => ({
  kind: "content.written",
  namespace,
  fileId: "01FILE",
  version,
  actor: namespace,
  invoker: namespace,
  tokenCid: "bafytoken",
  agent: { runId: "run-1" },
  cidHmac: new Uint8Array([1, 2, 3]),
});

let postgres: TestPostgres;
before(async () => {
  postgres = await startPostgres();
});
after(() => postgres.stop());

const engines = {
  PGlite: async () => ({}),
  PostgreSQL: async () => ({ DATABASE_URL: await postgres.createDatabase() }),
};

async function withAudit(
  env: Record<string, string>,
  use: (core: TestCore, audit: Audit) => Promise<void>,
  readSample = 0,
): Promise<void> {
  const core = await openTestCore(env);
  const { db, clock, log } = core.deps;
  const audit = new Audit({ db, clock, log, readSample });
  try {
    await use(core, audit);
  } finally {
    await audit.close();
    await core.close();
  }
}

for (const [engine, environment] of Object.entries(engines)) {
  test(`${engine}: events of each namespace follow one another in a hash chain`, async () => {
    await withAudit(await environment(), async ({ deps: { db } }, audit) => {
      await db.transaction((tx) => audit.record(tx, [written(alice, 1), written(bob, 1), written(alice, 2)]));
      await db.transaction((tx) => audit.record(tx, [written(alice, 3)]));
      const rows = await db
        .select()
        .from(fileEvents)
        .where(eq(fileEvents.namespace, alice))
        .orderBy(asc(fileEvents.sequence));
      assert.deepEqual(
        rows.map(({ sequence, version }) => [sequence, version]),
        [1, 2, 3].map((n) => [n, n]),
      );
      let head: Uint8Array | null = null;
      for (const row of rows) {
        head = hashEvent(head, row);
        assert.deepEqual(Buffer.from(row.hash), head);
      }
      const [space] = await db.select().from(namespaces).where(eq(namespaces.namespace, alice));
      assert.equal(space?.auditSequence, 3);
      assert.deepEqual(Buffer.from(space?.auditHead ?? []), head);
    });
  });

  test(`${engine}: concurrent writers leave no gap and no fork`, async () => {
    await withAudit(await environment(), async ({ deps: { db } }, audit) => {
      const both = [written(bob, 1), written(alice, 1)];
      await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          db.transaction((tx) => audit.record(tx, i % 2 === 0 ? both : both.toReversed())),
        ),
      );
      const rows = await db.select().from(fileEvents).orderBy(asc(fileEvents.namespace), asc(fileEvents.sequence));
      assert.equal(rows.length, 40);
      assert.deepEqual(
        rows.filter((row) => row.namespace === alice).map((row) => row.sequence),
        Array.from({ length: 20 }, (_, i) => i + 1),
      );
    });
  });

  test(`${engine}: a change that is rolled back leaves no event`, async () => {
    await withAudit(await environment(), async ({ deps: { db } }, audit) => {
      const lost = db.transaction(async (tx) => {
        await audit.record(tx, [written(alice, 1)]);
        throw new Error("lost the race");
      });
      await assert.rejects(lost, /lost the race/);
      assert.equal(await db.$count(fileEvents), 0);
    });
  });

  test(`${engine}: the database refuses to change or remove an event`, async () => {
    await withAudit(await environment(), async ({ deps: { db } }, audit) => {
      await db.transaction((tx) => audit.record(tx, [written(alice, 1)]));
      for (const change of [
        sql`update file_events set kind = 'read'`,
        sql`delete from file_events`,
        sql`truncate file_events`,
      ]) {
        await assert.rejects(
          async () => db.execute(change),
          (error: Error) => /only ever added/.test(String(error.cause)),
        );
      }
      assert.equal(await db.$count(fileEvents), 1);
    });
  });
}

test("samples reads by the configured share, and notes public reads once a minute and version", async () => {
  const reading = { namespace: alice, fileId: "01FILE", version: 1, actor: alice, invoker: alice, tokenCid: "bafy" };
  const open = { ...reading, kind: "public.read" as const, actor: null, invoker: null, tokenCid: null };
  for (const [readSample, reads] of [
    [0, 0],
    [1, 3],
  ] as const) {
    await withAudit(
      {},
      async ({ deps: { db } }, audit) => {
        for (let i = 0; i < 3; i++) {
          audit.recordRead({ ...reading, kind: "read" });
          audit.recordRead(open);
        }
        audit.recordRead({ ...open, version: 2 });
        await audit.flush();
        assert.equal(await db.$count(fileEvents, eq(fileEvents.kind, "read")), reads);
        assert.equal(await db.$count(fileEvents, eq(fileEvents.kind, "public.read")), 2);
      },
      readSample,
    );
  }
});
