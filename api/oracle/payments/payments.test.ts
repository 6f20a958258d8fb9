import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Hex } from "viem";
import { createTestWorld, type TestWorld } from "../../../test/support/chain.ts";
import { testAdminKey } from "../../../test/support/core.ts";
import { newTestUser, type TestUser } from "../../../test/support/oracle/oracle.ts";
import { openPaidOracle, openPayer, type PaidOracle, PRICE, until } from "../../../test/support/oracle/payments.ts";
import { startTaskTurn } from "../open-oracle.ts";
import type { PreparedContract } from "./contract-oracle.ts";

type Body = Record<string, unknown> & { claimIds: string[] };
type Claim = {
  claimId: string;
  state: string;
  runId: string | null;
  payer: string | null;
  transactionHash: Hex | null;
};

describe("an oracle that is paid for each message", () => {
  let world: TestWorld;
  let oracle: PaidOracle;
  let alice: TestUser;
  let bob: TestUser;
  before(async () => {
    world = await createTestWorld();
    oracle = await openPaidOracle(world, { ORACLE_FREE_MESSAGES: "2" });
    [alice, bob] = [await newTestUser(oracle), await newTestUser(oracle)];
  });
  after(async () => {
    await oracle?.close();
    await world?.close();
  });
  const json = async (answer: Response | Promise<Response>) => (await (await answer).json()) as Body;
  const say = (user: TestUser, session: string, body: object = {}) =>
    user.call("POST", `/messages/${session}`, { message: "Hello", ...body });
  const claimsOf = async (user: TestUser, query = "") => {
    const { items } = await json(user.call("GET", `/oracle/claims${query}`));
    return items as Claim[];
  };
  /** Use up what is free. */
  const spend = async (user: TestUser) => {
    const session = await user.session();
    for (let i = 0; i < 2; i++) assert.equal((await say(user, session)).status, 200);
    return session;
  };
  const contract = async (user: TestUser, amount: bigint) => {
    const payer = await openPayer(world, oracle.deps);
    const asked = { from: payer.account.address, amount: `${amount}`, maxPrice: `${PRICE}` };
    const prepared = (await json(user.call("POST", "/oracle/contract", asked))) as unknown as PreparedContract;
    for (const { transaction } of prepared.transactions) {
      const { to, data, gas } = transaction as { to: Hex; data: Hex; gas: string };
      await payer.send({ to, data, gas: BigInt(gas) });
    }
    return payer;
  };

  it("says in public what it costs and where its registry is", async () => {
    const facts = await json(fetch(`${oracle.url}/oracle`));
    const { oracles: registryAddress, stablecoin } = oracle.deps.chain.addresses;
    const chain = { chainId: 31_337, registryAddress, stablecoin, rpcUrl: world.anvil.url };
    assert.deepEqual(facts.chain, chain);
    assert.deepEqual(
      [facts.did, facts.apiUrl, facts.wsUrl],
      [oracle.did, "http://localhost:3000", "http://localhost:3000"],
    );
    assert.deepEqual([facts.price, facts.freeMessages, facts.allowance], [`${PRICE}`, 2, 0]);
    assert.equal((await fetch(`${oracle.url}/oracle/account`)).status, 401);
  });

  it("refuses before the stream opens, takes the same message after a deposit, and settles it once", async () => {
    const session = await spend(alice);
    assert.deepEqual(await claimsOf(alice), []);
    const refused = await say(alice, session, { stream: true, requestId: "question-1" });
    assert.equal(refused.status, 402);
    assert.match(refused.headers.get("content-type") ?? "", /application\/json/);
    const body = await json(refused.clone());
    assert.deepEqual([body.code, body.status, body.statusCode], ["PAYMENT_REQUIRED", 402, 402]);
    assert.equal(body.claimIds.length, 1);
    assert.match(body.claimIds[0] ?? "", /^CLM-[0-9A-Z]{26}$/);
    assert.deepEqual([body.claims, body.outstandingClaims], [body.claimIds, body.claimIds]);
    const header = JSON.parse(Buffer.from(refused.headers.get("PAYMENT-REQUIRED") ?? "", "base64").toString()) as {
      x402Version: number;
      resource: { url: string };
      accepts: Record<string, unknown>[];
    };
    const { payee } = await json(fetch(`${oracle.url}/oracle`));
    const [{ extra, ...terms } = {}] = header.accepts;
    assert.equal(header.x402Version, 2);
    assert.equal(header.resource.url, `http://localhost:3000/messages/${encodeURIComponent(session)}`);
    const asset = oracle.deps.chain.addresses.stablecoin;
    const expected = { scheme: "exact", network: "eip155:31337", amount: `${PRICE}`, asset, payTo: payee };
    assert.deepEqual(terms, { ...expected, maxTimeoutSeconds: 600 });
    assert.deepEqual((extra as Body).claimIds, body.claimIds);
    const again = await json(say(alice, session, { requestId: "question-1" }));
    assert.deepEqual(again.claimIds, body.claimIds);

    const payer = await contract(alice, PRICE * 3n);
    const taken = await say(alice, session, { requestId: "question-1" });
    assert.equal(taken.status, 200, await taken.clone().text());
    const settled = await until(
      () => claimsOf(alice),
      ([claim]) => claim?.state === "paid",
    );
    assert.equal(settled.length, 1);
    const [claim] = settled;
    assert.deepEqual([claim?.claimId, claim?.payer], [body.claimIds[0], payer.account.address]);
    assert.match(claim?.transactionHash ?? "", /^0x[0-9a-f]{64}$/);
    assert.equal((await payer.depositOf()).balance, PRICE * 2n);
    const { deposits, freeMessagesLeft } = await json(alice.call("GET", "/oracle/account"));
    assert.equal(freeMessagesLeft, 0);
    assert.equal((deposits as { balance: string }[])[0]?.balance, `${PRICE * 2n}`);
    // What is sent again is answered again, and paid for once.
    assert.equal((await say(alice, session, { requestId: "question-1" })).status, 200);
    assert.equal((await claimsOf(alice)).length, 1);
  });

  it("accepts no more than the deposit covers, however many messages come together", async () => {
    const payer = await contract(bob, PRICE * 3n);
    const sessions = [await spend(bob)];
    for (let i = 0; i < 9; i++) sessions.push(await bob.session());
    const answers = await Promise.all(sessions.map((session) => say(bob, session)));
    const statuses = answers.map(({ status }) => status).sort();
    assert.deepEqual(statuses, [...Array(3).fill(200), ...Array(7).fill(402)]);
    const paid = await until(
      () => claimsOf(bob, "?state=paid"),
      (claims) => claims.length === 3,
    );
    assert.equal(paid.length, 3);
    assert.equal((await payer.depositOf()).balance, 0n);
    const [waiting, ...more] = await claimsOf(bob, "?state=unpaid");
    assert.deepEqual([waiting?.runId, more.length], [null, 0]);
  });

  it("refuses AG-UI and scheduled turns alike", async () => {
    const input = { threadId: "t1", runId: "r1", state: {}, tools: [], context: [], forwardedProps: {} };
    const messages = [{ id: "m1", role: "user", content: "Hello" }];
    const answer = await bob.call("POST", "/ag-ui", { ...input, messages });
    assert.equal(answer.status, 402);
    assert.equal((await json(answer)).claimIds.length, 1);
    const task = { user: bob.did, sessionId: await bob.session(), message: "Hello", timezone: "UTC" };
    await assert.rejects(startTaskTurn(oracle.deps.oracle)(task), { code: "PAYMENT_REQUIRED" });
  });

  it("shows nobody another's claims, and refuses another's session as one that does not exist", async () => {
    const carol = await newTestUser(oracle);
    assert.deepEqual(await claimsOf(carol), []);
    const account = await json(carol.call("GET", "/oracle/account"));
    assert.deepEqual([account.deposits, account.claims], [[], { unpaid: 0, unknown: 0, paid: 0 }]);
    await spend(carol);
    const ofBob = await bob.session();
    const unknown = "$AAAAAAAAAAAAAAAAAAAAAA:hearth";
    const [theirs, none] = [await say(carol, ofBob), await say(carol, unknown)];
    assert.deepEqual([theirs.status, none.status], [404, 404]);
    assert.deepEqual(await claimsOf(carol), []);
    const { nextCursor, items } = await json(alice.call("GET", "/oracle/claims?limit=1"));
    assert.deepEqual([nextCursor, (items as Claim[]).length], [null, 1]);
    assert.equal((await alice.call("GET", "/oracle/claims?cursor=x")).status, 400);
  });

  it("keeps the accepted price when the oracle asks more, until more is accepted", async () => {
    const dora = await newTestUser(oracle);
    const session = await spend(dora);
    const payer = await contract(dora, PRICE * 2n);
    await setPrice(PRICE * 2n);
    assert.equal((await say(dora, session)).status, 200);
    await setPrice(PRICE);
    await until(
      () => payer.depositOf(),
      ({ balance }) => balance === PRICE,
    );
  });

  async function setPrice(price: bigint): Promise<void> {
    const { registerOwnOracle } = await import("./register-oracle.ts");
    const { config } = oracle.deps;
    const { chain, payments } = oracle.deps.oracle;
    const payment = { ...config.oracle.payment, price };
    await registerOwnOracle({ config: { ...config, oracle: { ...config.oracle, payment } }, chain, payments });
  }

  it("prepares the deposit over the REST API, whose relay takes it", async () => {
    const payer = await openPayer(world, oracle.deps);
    const rest = (path: string, body: object) =>
      fetch(`${oracle.url}/v1${path}`, {
        method: "POST",
        headers: { authorization: `Bearer ${testAdminKey}`, "content-type": "application/json" },
        body: JSON.stringify(body),
      });
    const erin = await newTestUser(oracle);
    const { user } = await json(erin.call("GET", "/oracle/account"));
    const from = payer.account.address;
    const order = { action: "contractOracle", from, user, amount: 0.05 };
    const { kind, transactions } = await json(rest("/transactions/prepare", order));
    assert.equal(kind, "transactions");
    const names = [];
    for (const { functionName, transaction } of transactions as PreparedContract["transactions"]) {
      names.push(functionName);
      const { to, data, nonce, gas, maxFeePerGas, maxPriorityFeePerGas, chainId } = transaction;
      const fees = { maxFeePerGas: BigInt(maxFeePerGas), maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas) };
      const call = { to: to as Hex, data: data as Hex, nonce, gas: BigInt(gas), chainId, ...fees };
      const signedTransaction = await payer.account.signTransaction({ type: "eip1559", ...call });
      const relayed = await rest("/transactions", { signedTransaction });
      assert.equal(relayed.status, 201, await relayed.clone().text());
    }
    assert.deepEqual(names, ["approve", "contractOracle"]);
    assert.equal((await payer.depositOf()).balance, 50_000n);
    const { deposits } = await json(erin.call("GET", "/oracle/account"));
    assert.equal((deposits as { payer: string }[])[0]?.payer, from);
    const poor = await rest("/transactions/prepare", { ...order, amount: 1_000_000 });
    assert.equal(poor.status, 409);
    assert.equal((await rest("/transactions/prepare", { ...order, oracleDid: "did:web:nowhere" })).status, 404);
    assert.equal((await rest("/transactions/prepare", { ...order, maxPrice: 0 })).status, 409);
  });
});
