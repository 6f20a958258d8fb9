import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { PGlite } from "@electric-sql/pglite";
import { sql } from "drizzle-orm";
import { openTestCore, type TestCore, testAdminKey } from "../../../test/support/core.ts";
import { mount } from "./base-app.ts";
import { databaseCopyRoutes } from "./database-copy.ts";

let core: TestCore;
before(async () => {
  core = await openTestCore();
  mount(core.app, databaseCopyRoutes(core.deps));
});
after(() => core.close());

const ask = () =>
  core.app.request("/v1/admin/database/copy", { method: "POST", headers: { authorization: `Bearer ${testAdminKey}` } });

test("a copy that is taken under load has every row that was committed before, and no partial transaction", async () => {
  const { db } = core.deps;
  await db.execute(sql`create table pairs (id int, half int)`);
  let committed = 0;
  let over = false;
  const writing = (async () => {
    for (let id = 1; !over; id++) {
      await db.transaction(async (tx) => {
        await tx.execute(sql`insert into pairs values (${id}, 1)`);
        await tx.execute(sql`insert into pairs values (${id}, 2)`);
      });
      committed = id;
      await nextTurn();
    }
  })();
  while (committed < 20) await nextTurn();
  const before = committed;
  const [first, second] = await Promise.all([ask(), ask()]);
  over = true;
  await writing;
  assert.deepEqual([first?.status, second?.status].sort(), [201, 409], "one copy at a time");
  const answer = (await (first?.status === 201 ? first : second)?.json()) as { folder: string; migration: number };
  assert.ok(answer.migration > 1_700_000_000_000);

  const copy = await PGlite.create(join(answer.folder, "api-db"));
  const { rows } = await copy.query<{ rows: number; ids: number; newest: number }>(
    "select count(*)::int as rows, count(distinct id)::int as ids, max(id) as newest from pairs",
  );
  await copy.close();
  const [{ rows: count = 0, ids = 0, newest = 0 } = {}] = rows;
  assert.ok(newest >= before, `${newest} of ${before}`);
  assert.deepEqual([count, ids], [2 * newest, newest]);
  assert.equal((await ask()).status, 201, "the next copy replaces it");
  assert.ok(existsSync(answer.folder));
});
