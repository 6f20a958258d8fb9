import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, it } from "node:test";
import { openDatabase } from "../../../api/platform/db/index.ts";
import { createLog } from "../../../api/platform/log.ts";
import { shortLife } from "../../../scripts/testing/short-life.ts";
import { placeDatabase } from "../../../test/support/database.ts";
import { type CallFate, type MoneyPeer, startMoneyPeer } from "../../../test/support/money-peer.ts";
import { addPartner, addPrepared, newAttemptOf, payoutDeps } from "../../../test/support/payouts.ts";
import { untilFound } from "../../../test/support/until.ts";
import type { PayoutDeps } from "../deps.ts";
import type { PartnerRow } from "../tables.ts";
import { workOn, workOnDueAttempts } from "./work.ts";

const never = new AbortController().signal;
let dataDir: string;
let peer: MoneyPeer;
let deps: PayoutDeps;
let close: () => Promise<void>;
let partner: PartnerRow;
let now = new Date("2026-11-26T12:00:00Z");
const lines: string[] = [];

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hearth-payouts-"));
  await placeDatabase(dataDir);
  peer = await startMoneyPeer();
  const opened = await openDatabase({ dataDir, databaseUrl: undefined });
  close = opened.close;
  const log = createLog({ logLevel: "trace" }, { write: (line) => void lines.push(line) });
  deps = payoutDeps(opened.db, log, () => now);
  partner = await addPartner(deps, peer.url, "mtn-momo");
});
after(async () => {
  await close?.();
  await peer?.close();
  await rm(dataDir, { recursive: true, force: true });
});
beforeEach(() => {
  peer.fates = [];
  peer.decision = "SUCCESSFUL";
  peer.isSilent = false;
  peer.onCall = () => {};
});

/** Let time pass, and work on what is due then, as often as given. */
async function work(times = 1, seconds = 3_600): Promise<void> {
  for (let i = 0; i < times; i++) {
    now = new Date(now.getTime() + seconds * 1000);
    await workOnDueAttempts(deps, never);
  }
}

/** What the database says of an order: its status, and its attempts' statuses. */
async function recorded(paymentId: string) {
  const order = await deps.orders.find(paymentId);
  const attempts = await deps.attempts.of([paymentId]);
  return { order, attempts, statuses: [order?.status, ...attempts.map(({ status }) => status)] };
}

const callsOf = () => peer.asked.filter((each) => each.startsWith("POST")).length;

describe("a transfer", () => {
  it("is sent with its stored reference, and succeeds when the partner says so", async () => {
    peer.decision = "PENDING";
    const { order, attempt } = await addPrepared(deps, partner);
    await work();
    assert.deepEqual((await recorded(order.paymentId)).statuses, ["sent", "sent"]);
    await work(2);
    assert.deepEqual((await recorded(order.paymentId)).statuses, ["sent", "sent"]);
    const transfer = peer.transfers.get(attempt.reference);
    assert.deepEqual(
      { ...transfer },
      {
        reference: attempt.reference,
        number: "260971234567",
        amount: "68.48",
        currency: "ZMW",
        paymentId: order.paymentId,
        status: "PENDING",
      },
    );
    assert.ok(transfer);
    transfer.status = "SUCCESSFUL";
    await work(3);
    const { order: ended, attempts, statuses } = await recorded(order.paymentId);
    assert.deepEqual(statuses, ["succeeded", "succeeded"]);
    assert.deepEqual([attempts[0]?.partnerTransaction, attempts[0]?.calls], ["363440463", 1]);
    assert.ok(ended?.endedAt);
  });

  it("fails with the partner's reason, without the number", async () => {
    peer.decision = "FAILED";
    const { order } = await addPrepared(deps, partner);
    await work(2);
    const { statuses, attempts } = await recorded(order.paymentId);
    assert.deepEqual(statuses, ["failed", "failed"]);
    assert.equal(attempts[0]?.reason, "PAYEE_LIMIT_REACHED for …");
  });

  it("that the partner refuses has failed after the partner said that it does not know it", async () => {
    peer.fates = ["refused"];
    const { order } = await addPrepared(deps, partner);
    await work();
    const { statuses, attempts } = await recorded(order.paymentId);
    assert.deepEqual(statuses, ["failed", "failed"]);
    assert.equal(attempts[0]?.reason, "400 PAYEE_NOT_FOUND Payee … not found");
    assert.match(peer.asked.at(-1) ?? "", /^GET/);
    assert.equal(peer.paidFor(order.paymentId), 0);
  });

  it("waits, uncalled, while the partner accepts no key, and is then sent with the same reference", async () => {
    peer.fates = ["forbidden", "forbidden"];
    const { order, attempt } = await addPrepared(deps, partner);
    await work(2);
    assert.deepEqual((await recorded(order.paymentId)).statuses, ["prepared", "prepared"]);
    await work(2);
    assert.deepEqual((await recorded(order.paymentId)).statuses, ["succeeded", "succeeded"]);
    assert.equal(peer.transfers.get(attempt.reference)?.paymentId, order.paymentId);
  });

  it("gets a new token when the partner no longer accepts the old one, and is made once", async () => {
    const { order } = await addPrepared(deps, partner);
    const before = peer.tokens;
    peer.expireTokens();
    await work(2);
    assert.equal(peer.tokens, before + 1);
    assert.deepEqual((await recorded(order.paymentId)).statuses, ["succeeded", "succeeded"]);
    assert.equal(peer.paidFor(order.paymentId), 1);
  });
});

describe("whatever is lost or doubled", () => {
  const fates: CallFate[][] = [
    ["lost-before"],
    ["lost-after"],
    ["doubled"],
    ["failing"],
    ["lost-before", "lost-after"],
    ["lost-before", "failing"],
    ["lost-before", "lost-before", "doubled"],
    ["forbidden", "lost-after"],
    ["lost-before", "refused", "doubled"],
  ];
  for (const each of fates) {
    it(`pays once after ${each.join(", ")}`, async () => {
      peer.fates = [...each];
      const { order, attempt } = await addPrepared(deps, partner);
      await work(2 * each.length + 2);
      const { statuses, attempts } = await recorded(order.paymentId);
      assert.deepEqual(statuses, ["succeeded", "succeeded"]);
      assert.equal(peer.paidFor(order.paymentId), 1);
      assert.equal(attempts.length, 1);
      assert.ok(peer.transfers.has(attempt.reference));
    });
  }

  it("asks for the status before it calls again, and calls again only after the partner could have received the first call", async () => {
    peer.fates = ["lost-before"];
    const { order } = await addPrepared(deps, partner);
    const begun = callsOf();
    await work();
    assert.equal(callsOf(), begun + 1);
    assert.deepEqual((await recorded(order.paymentId)).statuses, ["unknown", "unknown"]);
    const asked = peer.asked.length;
    await work(1, 20);
    assert.deepEqual([callsOf(), peer.asked.length], [begun + 1, asked]);
    await work(1, 20);
    assert.match(peer.asked[asked] ?? "", /^GET/);
    assert.equal(callsOf(), begun + 2);
    await work();
    assert.equal(peer.paidFor(order.paymentId), 1);
  });

  it("stays unknown while the partner does not answer, and is never called again", async () => {
    peer.fates = ["lost-after"];
    peer.isSilent = true;
    const { order } = await addPrepared(deps, partner);
    const begun = callsOf();
    await work(5);
    assert.deepEqual((await recorded(order.paymentId)).statuses, ["unknown", "unknown"]);
    assert.equal(callsOf(), begun + 1);
    peer.isSilent = false;
    await work(2);
    assert.deepEqual((await recorded(order.paymentId)).statuses, ["succeeded", "succeeded"]);
  });

  it("is not a failure while an earlier call may still arrive, even if a later one was refused", async () => {
    peer.fates = ["lost-before", "refused", "refused", "refused"];
    const { order } = await addPrepared(deps, partner);
    await work(3);
    assert.deepEqual((await recorded(order.paymentId)).statuses, ["unknown", "unknown"]);
    peer.fates = [];
    await work(3);
    assert.equal(peer.paidFor(order.paymentId), 1);
  });

  it("is worked on by one process of two", async () => {
    const { attempt, order } = await addPrepared(deps, partner);
    const begun = callsOf();
    await Promise.all([1, 2, 3].map(() => workOn(deps, partner, attempt, never)));
    assert.equal(callsOf(), begun + 1);
    await work(2);
    assert.equal(peer.paidFor(order.paymentId), 1);
  });

  it("has at most one attempt for each number, also when two prepare it", async () => {
    const { order } = await addPrepared(deps, partner);
    const price = { currency: "ZMW", rateId: "R", rate: 1n, amount: 1n, remainder: 0n };
    assert.equal(await deps.orders.prepare(order, price, newAttemptOf(deps, order, partner)), false);
    assert.equal((await recorded(order.paymentId)).attempts.length, 1);
    await work(2);
  });
});

describe("a process that is stopped between two steps", () => {
  it("after it stored that it would call: asks first, then calls with the same reference", async () => {
    const { attempt, order } = await addPrepared(deps, partner);
    assert.ok(await deps.attempts.beginCall(attempt, now, now));
    const begun = peer.asked.length;
    await work();
    assert.match(peer.asked[begun] ?? "", /^GET/);
    assert.match(peer.asked[begun + 1] ?? "", /^POST/);
    await work();
    assert.equal(peer.paidFor(order.paymentId), 1);
    assert.ok(peer.transfers.has(attempt.reference));
  });

  it("after the partner carried it out: finds that it was paid", async () => {
    const { attempt, order } = await addPrepared(deps, partner);
    const taken = await deps.attempts.beginCall(attempt, now, now);
    assert.ok(taken);
    const { reference, paymentId } = attempt;
    const transfer = {
      reference,
      paymentId,
      amount: 68_480_000n,
      currency: "ZMW",
      number: "+260971234567",
      holder: "M",
    };
    assert.equal((await deps.apis.of(partner).transfer(transfer, never)).kind, "accepted");
    const begun = callsOf();
    await work();
    assert.equal(callsOf(), begun);
    assert.deepEqual((await recorded(order.paymentId)).statuses, ["succeeded", "succeeded"]);
  });

  it("cannot overwrite what the process that took the attempt after it has recorded", async () => {
    const { attempt, order } = await addPrepared(deps, partner);
    const stalled = await deps.attempts.beginCall(attempt, now, now);
    assert.ok(stalled);
    await work(3);
    assert.equal(await deps.attempts.recordCall(stalled, { kind: "refused", reason: "late" }, now, now), undefined);
    assert.equal(await deps.attempts.end(stalled, { status: "failed", reason: "late" }, now), undefined);
    assert.deepEqual((await recorded(order.paymentId)).statuses, ["succeeded", "succeeded"]);
  });
});

describe("Airtel Money", () => {
  for (const each of [[], ["lost-before"], ["lost-after"], ["doubled"], ["failing"], ["forbidden"]] as CallFate[][]) {
    it(`pays once${each.length === 0 ? "" : ` after ${each.join(", ")}`}`, async () => {
      const airtel = await addPartner(deps, peer.url, "airtel-money");
      peer.fates = [...each];
      const { order, attempt } = await addPrepared(deps, airtel);
      await work(5);
      const { statuses, attempts } = await recorded(order.paymentId);
      assert.deepEqual(statuses, ["succeeded", "succeeded"]);
      assert.equal(peer.paidFor(order.paymentId), 1);
      assert.equal(attempts[0]?.partnerTransaction, "MP1");
      assert.deepEqual(JSON.parse(peer.bodies.at(-1) ?? ""), {
        payee: { currency: "ZMW", msisdn: "971234567", name: "Mary Banda" },
        reference: order.paymentId.replace("-", ""),
        pin: "pin-of-the-test",
        transaction: { amount: 68.48, id: attempt.reference, type: "B2C" },
      });
      assert.equal(peer.headers.at(-1)?.["x-currency"], "ZMW");
    });
  }

  it("fails with its reason, also when it refuses the call", async () => {
    const airtel = await addPartner(deps, peer.url, "airtel-money");
    peer.fates = ["refused"];
    const refused = await addPrepared(deps, airtel);
    await work(2);
    assert.deepEqual((await recorded(refused.order.paymentId)).statuses, ["failed", "failed"]);
    peer.decision = "FAILED";
    const failed = await addPrepared(deps, airtel);
    await work(2);
    const { statuses, attempts } = await recorded(failed.order.paymentId);
    assert.deepEqual(statuses, ["failed", "failed"]);
    assert.match(attempts[0]?.reason ?? "", /Said/);
  });
});

describe("secrets and numbers", () => {
  it("are in no log line and in no row as they are", async () => {
    peer.fates = ["refused"];
    await addPrepared(deps, partner);
    peer.decision = "FAILED";
    await addPrepared(deps, partner);
    await work(3);
    const secrets = [
      "971234567",
      "Mary Banda",
      "pin-of-the-test",
      "api-key-of-the-test",
      "subscription-key-of-the-test",
    ];
    const rows = JSON.stringify([
      await deps.partners.all(),
      await deps.attempts.due(new Date("9999-01-01T00:00:00Z"), 500),
    ]);
    const orders = await deps.orders.list({}, 500);
    const attempts = await deps.attempts.of(orders.map(({ paymentId }) => paymentId));
    assert.ok(lines.length > 3 && attempts.length > 20);
    for (const secret of secrets) {
      assert.ok(!lines.join("").includes(secret), `${secret} is in the log`);
      assert.ok(!(rows + JSON.stringify(attempts)).includes(secret), `${secret} is in the database`);
    }
  });
});

describe("a process that is killed", () => {
  it("is followed by one that pays what is due, each once", async () => {
    const folder = await mkdtemp(join(tmpdir(), "hearth-payouts-killed-"));
    await placeDatabase(folder);
    const first = await openDatabase({ dataDir: folder, databaseUrl: undefined });
    const own = payoutDeps(first.db, deps.host.log, () => new Date());
    const killed = await addPartner(own, peer.url, "mtn-momo");
    const orders = await Promise.all([1, 2, 3, 4, 5, 6].map(() => addPrepared(own, killed)));
    await first.close();
    const paid = () => orders.filter(({ order }) => peer.paidFor(order.paymentId) > 0).length;
    // Killed when a call arrives, and when one has been carried out, in turn.
    for (let kill = 0; kill < 4; kill++) {
      const child = startPayer(folder);
      const before = paid();
      await new Promise<void>((resolve) => {
        peer.onCall = () => {
          if (kill % 2 === 0 || paid() > before) {
            child.kill("SIGKILL");
            resolve();
          }
        };
      });
      await ended(child);
    }
    peer.onCall = () => {};
    const last = startPayer(folder);
    await untilFound(() => (paid() === orders.length ? true : undefined));
    last.kill("SIGTERM");
    await ended(last);
    for (const { order, attempt } of orders) {
      assert.equal(peer.paidFor(order.paymentId), 1, order.paymentId);
      assert.ok(peer.transfers.has(attempt.reference));
    }
    await rm(folder, { recursive: true, force: true });
  });
});

/** Start a process that works on the attempts of a folder's database, with a clock that runs fast. */
function startPayer(folder: string): ChildProcess {
  const script = new URL("../../../test/support/payout-process.ts", import.meta.url).pathname;
  const { PATH, NODE_OPTIONS, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_OPTIONS, NODE_COMPILE_CACHE, DATA_DIR: folder };
  return spawn(process.execPath, [...shortLife, script], { env, stdio: ["ignore", "ignore", "inherit"] });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await new Promise((resolve) => child.once("exit", resolve));
}
