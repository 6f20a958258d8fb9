import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { eq } from "drizzle-orm";
import type { Hex } from "viem";
import { createTestWorld, type TestWorld } from "../../../test/support/chain.ts";
import { newTestUser, type TestUser } from "../../../test/support/oracle/oracle.ts";
import { openPaidOracle, openPayer, type PaidOracle, PRICE, until } from "../../../test/support/oracle/payments.ts";
import { startPostgres, type TestPostgres } from "../../../test/support/postgres.ts";
import { encodeCall } from "../../platform/chain/submit.ts";
import { onChainClaimId, oracleIdOf } from "./oracle-id.ts";
import { takeForSettlement } from "./settlement-store.ts";
import { oracleClaims } from "./tables.ts";

describe("payments of two runtimes on one PostgreSQL", () => {
  let world: TestWorld;
  let postgres: TestPostgres;
  let one: PaidOracle;
  let other: PaidOracle;
  let alice: TestUser;
  let payer: Awaited<ReturnType<typeof openPayer>>;
  before(async () => {
    [world, postgres] = await Promise.all([createTestWorld(), startPostgres()]);
    const env = { DATABASE_URL: await postgres.createDatabase(), SERVICE_KEY: "5".repeat(64) };
    one = await openPaidOracle(world, { ...env, SCHEME_KEY: "7".repeat(64) });
    other = await openPaidOracle(world, { ...env, SCHEME_KEY: "7".repeat(64) });
    alice = await newTestUser(one);
    payer = await openPayer(world, one.deps);
    const { stablecoin, oracles } = one.deps.chain.addresses;
    const deposit = PRICE * 50n;
    await payer.send({ to: stablecoin, data: encodeCall("stablecoin", "approve", [oracles, deposit]), gas: 100_000n });
    const args = [oracleIdOf(one.did), one.deps.oracle.payments.deposits.keyOf(alice.did), deposit, PRICE];
    await payer.send({ to: oracles, data: encodeCall("oracles", "contractOracle", args), gas: 250_000n });
  });
  after(async () => {
    await Promise.all([one?.close(), other?.close()]);
    await Promise.all([world?.close(), postgres?.stop()]);
  });
  const rows = () => one.deps.db.select().from(oracleClaims).where(eq(oracleClaims.userDid, alice.did));
  const paidOnChain = async () => {
    const args = { oracle: oracleIdOf(one.did) };
    return (await one.deps.chain.past("oracles", "ClaimPaid", args)).map((event) => event.args.claimId as Hex);
  };

  it("treat a message that is sent a hundred times together as one, and settle its claim once", async () => {
    const session = await alice.session();
    const body = JSON.stringify({ message: "Hello", requestId: "the-same", stream: true });
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) =>
        fetch(`${[one, other][i % 2]?.url}/messages/${session}`, {
          method: "POST",
          headers: { ...alice.headers, "content-type": "application/json" },
          body,
        }),
      ),
    );
    const statuses = new Map<number, number>();
    const runs = new Set<string | null>();
    for (const answer of answers) {
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      if (answer.status === 200) runs.add(answer.headers.get("x-run-id"));
      await answer.text();
    }
    assert.deepEqual([...statuses], [[200, 100]]);
    assert.equal(runs.size, 1);
    const [claim, ...more] = await until(rows, ([row]) => row?.state === "paid");
    assert.deepEqual([more.length, claim?.runId], [0, [...runs][0]]);
    assert.deepEqual(await paidOnChain(), [onChainClaimId(claim?.id ?? "")]);
    assert.equal((await payer.depositOf()).balance, PRICE * 49n);
  });

  it("settle each claim once when both send settlements concurrently", async () => {
    const sessions = await Promise.all(Array.from({ length: 20 }, () => alice.session()));
    const answers = await Promise.all(
      sessions.map((session, i) =>
        fetch(`${[one, other][i % 2]?.url}/messages/${session}`, {
          method: "POST",
          headers: { ...alice.headers, "content-type": "application/json" },
          body: JSON.stringify({ message: "Hello" }),
        }),
      ),
    );
    for (const answer of answers) assert.equal(answer.status, 200, await answer.clone().text());
    const work = Array.from({ length: 10 }, (_, i) =>
      (i % 2 === 0 ? one : other).deps.oracle.payments.settlement.run(),
    );
    await Promise.all(work);
    await until(rows, (all) => all.length === 21 && all.every(({ state }) => state === "paid"));
    const paid = await paidOnChain();
    assert.deepEqual([paid.length, new Set(paid).size], [21, 21]);
    assert.equal((await payer.depositOf()).balance, PRICE * 29n);
  });

  it("find out whether a settlement was paid whose process died, and never pay it again", async () => {
    const { db, clock } = one.deps;
    const [row] = await rows();
    const at = new Date(clock.now().getTime() - 3_600_000);
    // Died after its transaction was mined and before that was noted.
    const paid = { ...row, state: "unknown" as const, changedAt: at, paidBlock: null, transactionHash: null };
    await db
      .update(oracleClaims)
      .set(paid)
      .where(eq(oracleClaims.id, row?.id ?? ""));
    // Died before its transaction was made.
    const facts = { userDid: alice.did, sessionId: "s", requestId: "r", runId: "run", payer: payer.account.address };
    const dates = { createdAt: at, changedAt: at };
    const lost = { id: "CLM-01M80BFXZ99FFQZYV44SCW421V", ...facts, ...dates, amount: PRICE };
    await db.insert(oracleClaims).values({ ...lost, state: "unknown", settlementId: "of-a-dead-process" });
    await until(rows, (all) => all.every(({ state }) => state === "paid"));
    const found = (await rows()).find(({ id }) => id === row?.id);
    assert.equal(found?.transactionHash, row?.transactionHash);
    assert.equal((await paidOnChain()).length, 22);
    assert.equal((await payer.depositOf()).balance, PRICE * 28n);
    assert.deepEqual(await takeForSettlement(db, { settlementId: "none", limit: 10, at: clock.now() }), []);
  });
});
