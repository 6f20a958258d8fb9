import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Hex } from "viem";
import { createTestWorld, type TestWorld } from "../../../test/support/chain.ts";
import { type Act, type ModelServer, startModelServer } from "../../../test/support/model-server.ts";
import { newTestUser, type TestUser } from "../../../test/support/oracle/oracle.ts";
import { openPaidOracle, openPayer, type PaidOracle, PRICE, until } from "../../../test/support/oracle/payments.ts";
import { startPostgres, type TestPostgres } from "../../../test/support/postgres.ts";
import type { PreparedContract } from "./contract-oracle.ts";

type Claim = { claimId: string; state: string; runId: string | null };

for (const kind of ["PGlite", "PostgreSQL"]) {
  describe(`a turn that fails, on ${kind}`, () => {
    let world: TestWorld;
    let postgres: TestPostgres | undefined;
    let model: ModelServer;
    let oracle: PaidOracle;
    let alice: TestUser;
    before(async () => {
      model = await startModelServer(() => [{ text: "Yes." }]);
      [world, postgres] = await Promise.all([createTestWorld(), kind === "PGlite" ? undefined : startPostgres()]);
      const database: Record<string, string> =
        postgres === undefined ? {} : { DATABASE_URL: await postgres.createDatabase() };
      const llm = { LLM_BASE_URL: model.url, LLM_MODEL: "m" };
      oracle = await openPaidOracle(world, { ...database, ...llm, ORACLE_FREE_MESSAGES: "1" });
      alice = await newTestUser(oracle);
    });
    after(async () => {
      await oracle?.close();
      await Promise.all([world?.close(), postgres?.stop(), model?.close()]);
    });
    const broken: Act[] = [{ text: "Well, " }, { waitMs: 50 }, { disconnect: true }];
    const say = async (acts: Act[], session?: string) => {
      model.script = () => acts;
      const { status } = await alice.call("POST", `/messages/${session ?? (await alice.session())}`, {
        message: "Hello",
      });
      return status;
    };
    const read = async <T>(path: string) => (await (await alice.call("GET", path)).json()) as T;
    const freeLeft = async () => (await read<{ freeMessagesLeft: number }>("/oracle/account")).freeMessagesLeft;
    /** Of messages that were taken: what would be owed for a refused one is among the listed too. */
    const claims = async () =>
      (await read<{ items: Claim[] }>("/oracle/claims")).items.filter(({ runId }) => runId !== null);
    const deposit = async (amount: bigint) => {
      const payer = await openPayer(world, oracle.deps);
      const order = { from: payer.account.address, amount: `${amount}`, maxPrice: `${PRICE}` };
      const answer = await alice.call("POST", "/oracle/contract", order);
      for (const { transaction } of ((await answer.json()) as PreparedContract).transactions) {
        const { to, data, gas } = transaction as { to: Hex; data: Hex; gas: string };
        await payer.send({ to, data, gas: BigInt(gas) });
      }
      return payer;
    };

    it("uses none of the free messages", async () => {
      assert.equal(await say(broken), 502);
      assert.equal(await freeLeft(), 1);
      assert.equal(await say([{ text: "Yes." }]), 200);
      assert.equal(await freeLeft(), 0);
      assert.equal(await say(broken), 402);
    });

    it("leaves no claim and takes nothing of the deposit, while one that is answered costs its price once", async () => {
      const payer = await deposit(PRICE);
      let fail = () => {};
      const gate = new Promise<void>((resolve) => {
        fail = resolve;
      });
      const asked = model.requests.length;
      const failing = say([{ text: "Well, " }, { until: gate }, { disconnect: true }]);
      await until(claims, (open) => open.length === 1 && model.requests.length === asked + 1);
      // It may still fail: until it has ended nothing is settled, and nobody else is promised the money.
      await oracle.deps.oracle.payments.settlement.run();
      assert.deepEqual(
        (await claims()).map(({ state }) => state),
        ["unpaid"],
      );
      assert.equal(await say([{ text: "No." }]), 402);
      fail();
      assert.equal(await failing, 502);
      await oracle.deps.oracle.payments.settlement.run();
      assert.deepEqual(await claims(), []);
      assert.equal((await payer.depositOf()).balance, PRICE);
      assert.equal(await say([{ text: "Yes." }]), 200);
      const settled = await until(claims, ([claim]) => claim?.state === "paid");
      assert.equal(settled.length, 1);
      assert.equal((await payer.depositOf()).balance, 0n);
    });

    it("costs nothing either when the server ended it, and its price when its user did", async () => {
      await deposit(PRICE * 2n);
      const never = new Promise(() => {});
      const slow: Act[] = [{ text: "Well, " }, { until: never }];
      const session = await alice.session();
      const aborted = say(slow, session);
      await until(claims, (open) => open.length === 2);
      await alice.call("POST", "/messages/abort", { sessionId: session });
      assert.equal(await aborted, 200);
      assert.equal((await claims()).length, 2);
      const interrupted = say(slow);
      await until(claims, (open) => open.length === 3);
      await oracle.deps.oracle.runs.stop();
      await interrupted;
      assert.equal((await claims()).length, 2);
    });
  });
}
