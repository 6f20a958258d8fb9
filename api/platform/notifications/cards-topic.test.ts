import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { sql } from "drizzle-orm";
import { openTestCore, type TestCore } from "../../../test/support/core.ts";
import { migrationsFolder } from "../db/migrations-folder.ts";
import type { Role } from "../http/index.ts";
import { notificationSubscriptions } from "./tables.ts";
import { type Topic, topics } from "./topics.ts";

let core: TestCore;
before(async () => {
  core = await openTestCore();
});
after(() => core.close());

const without = (...left: Topic[]) => topics.filter((topic) => !left.includes(topic));

/** Subscriptions before the topic was new, and whether the migration adds it. */
const subscriptions: [id: string, role: Role, chosen: Topic[], isAdded: boolean][] = [
  ["regulator of all", "regulator", without("cards"), true],
  ["regulator of all of the role", "regulator", without("cards", "deadlines"), true],
  ["regulator of less", "regulator", without("cards", "pool"), false],
  ["admin of less", "admin", without("cards", "proposals"), false],
  ["evaluator of all of the role", "evaluator", without("cards", "deadlines", "payouts"), true],
  ["field team of all", "implementer", without("cards"), true],
  ["field team of all of the role", "implementer", without("cards", "proposals", "payouts"), true],
  ["field team of less", "implementer", without("cards", "deadlines"), false],
  ["field team of one", "implementer", ["imports"], false],
  ["integrator of all", "integrator", without("cards"), true],
  ["supplier of all", "supplier", without("cards"), false],
];

test("the topic of cards is added for people who are notified of all of their role, and for nobody who chose less", async () => {
  const { db } = core.deps;
  const at = new Date();
  const rest = { channel: "email", sealedAddress: "", language: "en", status: "active", createdAt: at } as const;
  const key = { scopes: [], throughBlock: 0n, nextAttemptAt: at };
  const rows = subscriptions.map(([id, role, chosen]) => {
    return { ...rest, ...key, id, keyId: id, addressHash: id, role, topics: chosen };
  });
  await db
    .insert(notificationSubscriptions)
    .values([
      ...rows,
      { ...rest, ...key, id: "new", keyId: "new", addressHash: "new", role: "regulator", topics: [...topics] },
    ]);
  const migration = await readFile(join(migrationsFolder, "0085_cards_topic.sql"), "utf8");
  await db.execute(sql.raw(migration));
  const found = new Map((await db.select().from(notificationSubscriptions)).map((row) => [row.id, row.topics]));
  for (const [id, , chosen, isAdded] of subscriptions) {
    assert.deepEqual(found.get(id), isAdded ? [...chosen, "cards"] : chosen, id);
  }
  assert.deepEqual(found.get("new"), [...topics]);
});
