import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eq } from "drizzle-orm";
import { createTestWorld, openTestChain, type TestWorld } from "../../../test/support/chain.ts";
import { newWorkers } from "../../../test/support/workers.ts";
import type { Chain } from "../../platform/chain/chain.ts";
import { chainTransactions } from "../../platform/chain/tables.ts";
import { createLog } from "../../platform/log.ts";
import { Audit } from "./audit.ts";
import { dayOf, pendingRoots } from "./daily-roots.ts";
import { chainRoots } from "./onchain-roots.ts";
import { RootAnchor } from "./root-anchor.ts";
import { fileAuditRoots } from "./tables.ts";
import { verifyAudit } from "./verify-audit.ts";

const schemeKey = "5".repeat(64);
let now = new Date();
const clock = { now: () => now };

let world: TestWorld;
let chain: Chain;
let close: () => Promise<void>;
before(async () => {
  world = await createTestWorld();
  ({ chain, close } = await openTestChain(world));
});
after(async () => {
  await close();
  await world.close();
});

const log = () => createLog(world.config());
const newAnchor = () =>
  new RootAnchor({ db: chain.outbox.options.db, chain, clock, log: log(), schemeKey, workers: newWorkers() });
const sent = () => chain.outbox.options.db.$count(chainTransactions, eq(chainTransactions.functionName, "anchorRoot"));

async function happen(namespace: string): Promise<void> {
  const { db } = chain.outbox.options;
  const audit = new Audit({ db, clock, log: log(), readSample: 0 });
  const event = { kind: "edit", namespace, actor: namespace, invoker: namespace, tokenCid: "bafy" } as const;
  await db.transaction((tx) => audit.record(tx, [event]));
}

test("anchors the root of the day that ended, once, and the verification finds it on chain", async () => {
  const { db } = chain.outbox.options;
  const today = dayOf(now);
  await happen("did:a");
  const [root] = await newAnchor().anchorEndedDay();
  assert.equal(root?.day, today - 1);
  assert.equal(await chain.read("audits", "latestDay", []), today - 1);
  assert.deepEqual(await newAnchor().anchorEndedDay(), []);
  assert.equal(await sent(), 1);
  const report = await verifyAudit({ clock, db, schemeKey, chain: chainRoots(chain) });
  assert.deepEqual([report.roots, report.faults], [{ days: 1, anchored: 1 }, []]);
});

test("finds a root on chain whose anchoring was not noted before a kill, and sends nothing again", async () => {
  const { db } = chain.outbox.options;
  const [row] = await db.select().from(fileAuditRoots);
  await db.update(fileAuditRoots).set({ transactionHash: null });
  assert.equal((await pendingRoots(db)).length, 1);
  await newAnchor().anchorEndedDay();
  const [found] = await db.select().from(fileAuditRoots);
  assert.equal(found?.transactionHash, row?.transactionHash);
  assert.equal(await sent(), 1);
});

test("anchors on demand what happened today", async () => {
  await happen("did:b");
  const [root] = await newAnchor().anchorNow();
  assert.deepEqual([root?.day, root?.namespaces, root?.events], [dayOf(now), 2, 2]);
  const past = await chain.past("audits", "AuditRootAnchored", { day: dayOf(now) });
  assert.deepEqual([past[0]?.args.chains, past[0]?.args.events], [2n, 2n]);
});

test("keeps a root that the chain does not take yet, and anchors it later", async () => {
  await happen("did:a");
  now = new Date(now.getTime() + 86_400_000);
  await assert.rejects(newAnchor().anchorNow(), /has not begun on the chain/);
  assert.equal((await pendingRoots(chain.outbox.options.db)).length, 1);
  await world.anvil.rpc("evm_increaseTime", [86_400]);
  await world.anvil.rpc("evm_mine", []);
  const [root] = await newAnchor().anchorEndedDay();
  assert.equal(root?.day, dayOf(now));
});
