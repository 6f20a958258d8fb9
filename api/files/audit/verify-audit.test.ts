import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type SQL, sql } from "drizzle-orm";
import type { Hex } from "viem";
import { openTestCore, type TestCore } from "../../../test/support/core.ts";
import type { Database } from "../../platform/db/client.ts";
import { Audit } from "./audit.ts";
import { dayOf, makeRoot, toHex } from "./daily-roots.ts";
import type { FileEvent } from "./event.ts";
import { type VerifyOptions, verifyAudit } from "./verify-audit.ts";

const schemeKey = "7".repeat(64);
const now = new Date("2026-11-21T10:00:00Z");
const today = dayOf(now);
const clock = { now: () => now };

let core: TestCore;
let db: Database;
before(async () => {
  core = await openTestCore({}, { clock });
  db = core.deps.db;
  const audit = new Audit({ db, clock, log: core.deps.log, readSample: 0 });
  const events = (namespace: string, count: number): FileEvent[] =>
    Array.from({ length: count }, (_, version) => {
      const who = { actor: namespace, invoker: namespace, tokenCid: "bafy" };
      return { ...who, kind: "content.written", namespace, fileId: "01F", version };
    });
  await db.transaction((tx) => audit.record(tx, [...events("did:a", 5), ...events("did:b", 3)]));
  await makeRoot({ db, clock, schemeKey }, today - 1);
  await db.transaction((tx) => audit.record(tx, events("did:b", 2)));
  await makeRoot({ db, clock, schemeKey }, today);
});
after(() => core.close());

const check = (options: Partial<VerifyOptions> = {}) =>
  verifyAudit({ db, clock, schemeKey, chain: undefined, ...options });

class Undo extends Error {}

/** What the verification says after somebody with all rights in the database did `harm`, which is then undone. */
async function afterHarm(...harm: SQL[]) {
  let report: Awaited<ReturnType<typeof check>> | undefined;
  const harmed = db.transaction(async (tx) => {
    await tx.execute(sql`alter table file_events disable trigger user`);
    await tx.execute(sql`alter table file_audit_leaves disable trigger user`);
    for (const each of harm) await tx.execute(each);
    await tx.execute(sql`alter table file_events enable trigger user`);
    await tx.execute(sql`alter table file_audit_leaves enable trigger user`);
    report = await check({ db: tx as unknown as Database });
    throw new Undo();
  });
  await assert.rejects(harmed, Undo);
  assert.ok(report);
  return report.faults;
}

test("proves chains and roots that nobody touched", async () => {
  assert.deepEqual(await check(), {
    namespaces: 2,
    events: 10,
    roots: { days: 2, anchored: undefined, unreachable: "none was named" },
    faults: [],
  });
});

test("makes no second root of a day, and none when nothing happened", async () => {
  assert.equal(await makeRoot({ db, clock, schemeKey }, today), undefined);
  assert.equal(await makeRoot({ db, clock, schemeKey }, today + 1), undefined);
});

test("names the first event that was changed, removed or put in", async () => {
  const [changed] = await afterHarm(sql`update file_events set version = 9 where namespace = 'did:a' and sequence = 2`);
  assert.deepEqual([changed?.namespace, changed?.sequence], ["did:a", 2]);
  const [removed] = await afterHarm(sql`delete from file_events where namespace = 'did:a' and sequence = 3`);
  assert.match(removed?.problem ?? "", /missing/);
  assert.equal(removed?.sequence, 4);
  const [swapped] = await afterHarm(
    sql`update file_events set sequence = -sequence where namespace = 'did:a' and sequence in (2, 3)`,
    sql`update file_events set sequence = 5 + sequence where namespace = 'did:a' and sequence < 0`,
  );
  assert.equal(swapped?.sequence, 2);
});

test("notices a chain that was cut short, with or without its namespace's own word", async () => {
  const cut = sql`delete from file_events where namespace = 'did:b' and sequence > 3`;
  const [short] = await afterHarm(cut);
  assert.match(short?.problem ?? "", /last 2 events are missing/);
  const faults = await afterHarm(
    cut,
    sql`update namespaces set audit_sequence = 3, audit_head = (select hash from file_events where namespace = 'did:b' and sequence = 3) where namespace = 'did:b'`,
  );
  assert.match(faults[0]?.problem ?? "", /differs from the event in the root of 2026-11-21/);
  const [gone] = await afterHarm(sql`delete from file_events where namespace = 'did:a'`);
  assert.match(gone?.problem ?? "", /all 5 events are missing/);
});

test("notices a root that does not fit its heads, and guards that are switched off", async () => {
  const [root] = await afterHarm(sql`update file_audit_roots set root = '\\x01' where day = ${today}`);
  assert.match(root?.problem ?? "", /root of 2026-11-21 does not match its heads/);
  const [guard] = await afterHarm(sql`drop trigger file_events_append_only on file_events`);
  assert.match(guard?.problem ?? "", /file_events_append_only/);
});

test("holds the roots against the chain, which remembers what a database set back has lost", async () => {
  const { rows } = await db.execute<{ day: number; root: Uint8Array }>(sql`select day, root from file_audit_roots`);
  const onChain = new Map<number, Hex>(rows.map(({ day, root }) => [day, toHex(root)]));
  const chain = {
    rootOf: async (day: number): Promise<Hex> => onChain.get(day) ?? `0x${"0".repeat(64)}`,
    latestDay: async () => Math.max(...onChain.keys()),
  };
  assert.deepEqual((await check({ chain })).roots, { days: 2, anchored: 2 });
  onChain.set(today - 1, `0x${"1".repeat(64)}`);
  assert.match((await check({ chain })).faults[0]?.problem ?? "", /another root of 2026-11-20/);
  onChain.set(today + 3, `0x${"2".repeat(64)}`);
  assert.match((await check({ chain })).faults[0]?.problem ?? "", /root of 2026-11-24 that is missing here/);
  const silent = { rootOf: chain.rootOf, latestDay: () => Promise.reject(new Error("connection refused")) };
  const { roots, faults } = await check({ chain: silent });
  assert.deepEqual([roots.anchored, roots.unreachable, faults], [undefined, "connection refused", []]);
});

test("counts the roots that a chain should have by now, as one without any root", async () => {
  const chain = { rootOf: async (): Promise<Hex> => `0x${"0".repeat(64)}`, latestDay: async () => 0 };
  const later = (days: number) => ({ now: () => new Date(now.getTime() + days * 86_400_000) });
  assert.deepEqual((await check({ chain })).roots, { days: 2, anchored: 0 });
  assert.deepEqual((await check({ chain, clock: later(1) })).roots, { days: 2, anchored: 0, overdue: 1 });
  assert.deepEqual((await check({ chain, clock: later(2) })).roots, { days: 2, anchored: 0, overdue: 2 });
});
