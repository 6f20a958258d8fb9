import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { eq, sql } from "drizzle-orm";
import { openTestCore, type TestCore } from "../../../test/support/core.ts";
import { startPostgres } from "../../../test/support/postgres.ts";
import { fillSealedColumns, readSealedColumns } from "../../../test/support/sealed-rows.ts";
import { newWorkers } from "../../../test/support/workers.ts";
import { readConfig } from "../../config.ts";
import { allSealedColumns } from "../../sealed-columns.ts";
import { ConfigError } from "../config-error.ts";
import { createSecretBox, type SealingKeys, sealingKeyId } from "../secret-box.ts";
import { webhooks } from "../webhooks/tables.ts";
import { openSealing } from "./open-sealing.ts";
import { rotateSealingKey, SealingRotationError } from "./rotate.ts";
import { sealingKeys } from "./tables.ts";

const [scheme, second, third] = ["1", "2", "3"].map((digit) => digit.repeat(64)) as [string, string, string];
const rows = 3;
const columns = allSealedColumns;
const pace = { everyMs: 100, endedAfterMs: 1_500 };

type Env = Record<string, string>;
type World = {
  core: TestCore;
  /** Open the keys as a process with these variables would at its start. */
  start: (env: Env) => ReturnType<typeof openSealing>;
  /** Start and stop. */
  visit: (env: Env) => Promise<SealingKeys>;
  rotate: (env: Env, rowsAtOnce?: number) => Promise<number>;
  /** Open every value with these keys, and list the keys that sealed them. */
  read: (keys: SealingKeys) => Promise<string[]>;
};

async function withWorld(run: (world: World) => Promise<void>, given: Env = {}) {
  const core = await openTestCore(given);
  const { db, exclusive } = core.deps;
  const configOf = (env: Env) => readConfig({ DATA_DIR: core.config.dataDir, ...given, ...env });
  const start = (env: Env) =>
    openSealing({ config: configOf(env), db, exclusive, workers: newWorkers(), columns, pace });
  try {
    await run({
      core,
      start,
      visit: async (env) => {
        const { keys, close } = await start(env);
        await close();
        return keys;
      },
      rotate: (env, rowsAtOnce = 2) =>
        rotateSealingKey({ config: configOf(env), db, exclusive, columns, say: () => {}, rowsAtOnce, pace }),
      read: async (keys) => {
        const found = await readSealedColumns(db, keys);
        assert.deepEqual(found.wrong, []);
        return [...found.keys];
      },
    });
  } finally {
    await core.close();
  }
}

const inEnvironment = (current?: string, ...previous: string[]): Env => ({
  SCHEME_KEY: scheme,
  ...(current && { SEALING_KEY: current }),
  ...(previous.length > 0 && { SEALING_KEYS_PREVIOUS: previous.join(",") }),
});

test("seals every value again, so that the keys before open nothing", () =>
  withWorld(async ({ core, visit, rotate, read }) => {
    const before = await visit(inEnvironment());
    await fillSealedColumns(core.deps.db, before, rows);
    assert.deepEqual(await read(before), ["scheme"]);
    assert.equal(await rotate(inEnvironment(second)), rows * columns.length);
    assert.deepEqual(await read({ scheme, current: second, previous: [] }), [sealingKeyId(second)]);
    assert.equal(await rotate(inEnvironment(second)), 0, "nothing is left");
    await fillSealedColumns(core.deps.db, await visit(inEnvironment(second)), rows, rows);
    assert.equal(await rotate(inEnvironment(third, second)), 2 * rows * columns.length);
    assert.deepEqual(await read({ scheme, current: third, previous: [] }), [sealingKeyId(third)]);
    await visit(inEnvironment(third));
  }));

test("keeps the scheme key as a sealing key where nothing was rotated, and goes back to it", () =>
  withWorld(async ({ core, visit, rotate, read }) => {
    await assert.rejects(rotate(inEnvironment()), /SEALING_KEY is not set/);
    await fillSealedColumns(core.deps.db, await visit(inEnvironment(second)), rows);
    assert.equal(await rotate(inEnvironment(scheme, second)), rows * columns.length);
    assert.deepEqual(await read(await visit(inEnvironment())), ["scheme"]);
  }));

test("makes a new key in the folder, and destroys the one before at the end", () =>
  withWorld(async ({ core, visit, rotate, read }) => {
    const path = join(core.config.dataDir, "keys", "sealing.key");
    const first = await visit({});
    await fillSealedColumns(core.deps.db, first, rows);
    await rotate({});
    const made = (await readFile(path, "utf8")).trim();
    assert.match(made, /^[0-9a-f]{64}$/);
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.deepEqual(await read(await visit({})), [sealingKeyId(made)]);
    await rotate({});
    const next = (await readFile(path, "utf8")).trim();
    assert.ok(next !== made && !next.includes(made));
    assert.deepEqual(await read({ scheme: first.scheme, current: next, previous: [] }), [sealingKeyId(next)]);
  }));

test("continues with the key that an interrupted rotation made, and everything opens meanwhile", () =>
  withWorld(async ({ core, visit, rotate, read }) => {
    const before = await visit({});
    await fillSealedColumns(core.deps.db, before, rows);
    const made = randomBytes(32).toString("hex");
    await writeFile(join(core.config.dataDir, "keys", "sealing.key"), `${made}\n${before.scheme}\n`);
    const meanwhile = await visit({});
    assert.equal(meanwhile.current, made);
    await read(meanwhile);
    await rotate({});
    assert.deepEqual(await read(await visit({})), [sealingKeyId(made)]);
  }));

test("refuses a start without a key that is needed, names what needs it, and forgets a key that nothing needs", () =>
  withWorld(async ({ core, visit, rotate }) => {
    await fillSealedColumns(core.deps.db, await visit(inEnvironment(second)), rows);
    const refused = (error: Error) => {
      assert.ok(error instanceof ConfigError);
      const id = sealingKeyId(second);
      assert.match(
        error.message,
        new RegExp(`SEALING_KEYS_PREVIOUS: lacks the key with the id ${id}, which is needed by`),
      );
      assert.match(error.message, /3 values in webhooks\.sealed_secret, 3 values in notification_subscriptions\./);
      assert.ok(!error.message.includes(second));
      return true;
    };
    await assert.rejects(visit(inEnvironment(third)), refused);
    await assert.rejects(visit(inEnvironment()), refused);
    await assert.rejects(rotate(inEnvironment(third)), refused);
    await visit(inEnvironment(third, second));
    await rotate(inEnvironment(third, second));
    await visit(inEnvironment(third));
    const left = await core.deps.db.select().from(sealingKeys);
    assert.deepEqual(left.map(({ keyId }) => keyId).toSorted(), [scheme, third].map(sealingKeyId).toSorted());
  }));

test("refuses a start with another scheme key, which would find no household", () =>
  withWorld(async ({ visit, rotate }) => {
    await visit(inEnvironment());
    const other = { SCHEME_KEY: third };
    await assert.rejects(visit(other), /SCHEME_KEY: is not the key of this database .*registered a second time/);
    await assert.rejects(rotate({ ...other, SEALING_KEY: second }), /SCHEME_KEY: is not the key of this database/);
    await visit(inEnvironment());
  }));

test("names the values that do not open, seals all others, and leaves the keys in the folder", () =>
  withWorld(async ({ core, visit, rotate }) => {
    const { db } = core.deps;
    const before = await visit({});
    await fillSealedColumns(db, before, rows);
    const sealedSecret = createSecretBox({ scheme: third, current: third, previous: [] }, "webhook").seal("foreign");
    await db.update(webhooks).set({ sealedSecret }).where(eq(webhooks.id, "row 1"));
    await assert.rejects(rotate({}), (error: Error) => {
      assert.ok(error instanceof SealingRotationError);
      assert.match(error.message, /do not open\. Keep every key .*\n {2}webhooks\.sealed_secret of row 1: /);
      return true;
    });
    const text = await readFile(join(core.config.dataDir, "keys", "sealing.key"), "utf8");
    assert.ok(text.includes(before.scheme));
    const { wrong, keys } = await readSealedColumns(db, await visit({}));
    assert.deepEqual([wrong.length, keys.size], [1, 2]);
  }));

test("on a database that processes share", async (t) => {
  const postgres = await startPostgres();
  t.after(() => postgres.stop());
  const withShared = async (run: (world: World) => Promise<void>) =>
    await withWorld(run, { DATABASE_URL: await postgres.createDatabase() });

  await t.test("a process starts with a new key only when all others can open what it seals", () =>
    withShared(async ({ start, visit }) => {
      const one = await start(inEnvironment());
      await assert.rejects(
        visit(inEnvironment(second)),
        /SEALING_KEY: is not known to 1 other API process\. First start/,
      );
      const other = await start(inEnvironment(undefined, second));
      await one.close();
      await visit(inEnvironment(second));
      await other.close();
    }),
  );

  await t.test(
    "a rotation waits for a killed process, and refuses while one seals with another key or lacks the new one",
    () =>
      withShared(async ({ core, start, rotate, read }) => {
        const unaware = await start(inEnvironment());
        await fillSealedColumns(core.deps.db, unaware.keys, rows);
        await assert.rejects(rotate(inEnvironment(second)), /1 API process cannot open what SEALING_KEY seals/);
        assert.deepEqual(await read(unaware.keys), ["scheme"], "nothing changed");
        await unaware.close();
        const aware = await start(inEnvironment(undefined, second));
        await assert.rejects(rotate(inEnvironment(second)), /1 API process still seals with another key/);
        await aware.close();
        // As a killed process leaves it.
        await core.deps.db.execute(
          sql`insert into sealing_processes values ('killed', ${sealingKeyId(scheme)}, ${sql.param([sealingKeyId(scheme)])}, now())`,
        );
        const current = await start({ ...inEnvironment(second), ...{ SEALING_KEYS_PREVIOUS: third } }).catch(
          () => undefined,
        );
        assert.equal(current, undefined, "it counts as running for a while");
        assert.equal(await rotate(inEnvironment(second)), rows * columns.length);
        await (await start(inEnvironment(second))).close();
      }),
  );

  await t.test("a running process keeps its key needed, also when a start elsewhere took it for ended", () =>
    withShared(async ({ core, start, visit }) => {
      const slow = await start(inEnvironment(second));
      await assert.rejects(visit(inEnvironment(third)), /needed by 1 running API process/);
      await core.deps.db.delete(sealingKeys).where(eq(sealingKeys.keyId, sealingKeyId(second)));
      await new Promise((resolve) => setTimeout(resolve, 500));
      assert.equal((await core.deps.db.select().from(sealingKeys)).length, 2);
      await slow.close();
    }),
  );

  await t.test("leaves a row that a request holds, without waiting, and seals it afterwards", () =>
    withShared(async ({ core, visit, rotate, read }) => {
      const { db } = core.deps;
      await fillSealedColumns(db, await visit(inEnvironment()), rows);
      let rotation: Promise<number> | undefined;
      const box = createSecretBox({ scheme, current: scheme, previous: [] }, "webhook");
      await db.transaction(async (tx) => {
        await tx
          .update(webhooks)
          .set({ sealedSecret: box.seal("webhooks sealed_secret 1") })
          .where(eq(webhooks.id, "row 1"));
        rotation = rotate(inEnvironment(second));
        const others = sql`select count(*)::int as count from webhooks where sealed_secret like '%.%'`;
        for (let done = 0; done < rows - 1; ) {
          done = (await db.execute<{ count: number }>(others)).rows[0]?.count ?? 0;
        }
      });
      assert.equal(await rotation, rows * columns.length);
      assert.deepEqual(await read({ scheme, current: second, previous: [] }), [sealingKeyId(second)]);
    }),
  );

  await t.test("two rotations that run together seal each value once", () =>
    withShared(async ({ core, visit, rotate, read }) => {
      await fillSealedColumns(core.deps.db, await visit(inEnvironment()), 20);
      const done = await Promise.all([rotate(inEnvironment(second), 5), rotate(inEnvironment(second), 5)]);
      assert.equal(done[0] + done[1], 20 * columns.length);
      assert.deepEqual(await read({ scheme, current: second, previous: [] }), [sealingKeyId(second)]);
    }),
  );
});
