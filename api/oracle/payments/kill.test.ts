import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { type Hex, keccak256, parseTransaction, toFunctionSelector } from "viem";
import { oraclesAbi } from "../../../deployments/abi/oracles.ts";
import { createTestWorld, type TestWorld } from "../../../test/support/chain.ts";
import { newTestUser, type TestUser } from "../../../test/support/oracle/oracle.ts";
import { openPaidOracle, openPayer, PRICE, until } from "../../../test/support/oracle/payments.ts";
import { startPostgres, type TestPostgres } from "../../../test/support/postgres.ts";
import { type RpcCall, type RpcProxy, type RpcRefusal, startRpcProxy } from "../../../test/support/rpc-proxy.ts";
import { encodeCall } from "../../platform/chain/submit.ts";
import { onChainClaimId, oracleIdOf } from "./oracle-id.ts";
import { oracleClaims } from "./tables.ts";

const settle = toFunctionSelector(
  oraclesAbi.find((item) => item.type === "function" && item.name === "settle") as never,
);
const refused: RpcRefusal = { status: 503 };

/** The hash of the settlement that a call sends. */
function settlementIn({ method, params }: RpcCall): Hex | undefined {
  if (method !== "eth_sendRawTransaction") return undefined;
  const signed = params[0] as Hex;
  return parseTransaction(signed).data?.startsWith(settle) ? keccak256(signed) : undefined;
}

describe("a runtime that is killed while it settles", () => {
  let world: TestWorld;
  let postgres: TestPostgres;
  let env: Record<string, string>;
  let alice: TestUser;
  let payer: Awaited<ReturnType<typeof openPayer>>;
  const proxies: RpcProxy[] = [];
  const victims: ChildProcess[] = [];
  before(async () => {
    [world, postgres] = await Promise.all([createTestWorld(), startPostgres()]);
    const keys = { SERVICE_KEY: "5".repeat(64), SCHEME_KEY: "7".repeat(64) };
    env = { ...keys, DATABASE_URL: await postgres.createDatabase() };
    const oracle = await openPaidOracle(world, env);
    alice = await newTestUser(oracle);
    payer = await openPayer(world, oracle.deps);
    const { chain, payments } = oracle.deps.oracle;
    const { stablecoin, oracles } = chain.addresses;
    const approve = encodeCall("stablecoin", "approve", [oracles, PRICE * 5n]);
    await payer.send({ to: stablecoin, data: approve, gas: 100_000n });
    const args = [oracleIdOf(oracle.did), payments.deposits.keyOf(alice.did), PRICE * 5n, PRICE];
    await payer.send({ to: oracles, data: encodeCall("oracles", "contractOracle", args), gas: 250_000n });
    await oracle.close();
  });
  after(async () => {
    for (const victim of victims) victim.kill("SIGKILL");
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await Promise.all([world?.close(), postgres?.stop()]);
  });

  /** A runtime whose calls to the chain are judged; `ask` sends it a message and resolves when that is answered. */
  async function startVictim(judge: (call: RpcCall, kill: () => void) => RpcRefusal | undefined) {
    const kill = () => victim.kill("SIGKILL");
    const proxy = await startRpcProxy(world.anvil.url, (call) => judge(call, kill));
    proxies.push(proxy);
    const variables = { ...env, DATA_DIR: world.dataDir, CHAIN_PORT: new URL(proxy.url).port, LOG_LEVEL: "silent" };
    const victim = fork(new URL("../../../test/support/oracle/payments-process.ts", import.meta.url), [
      JSON.stringify(variables),
    ]);
    victims.push(victim);
    const died = once(victim, "exit");
    const [{ url }] = (await Promise.race([once(victim, "message"), died])) as [{ url: string }];
    const post = (path: string, body: object) => {
      const headers = { ...alice.headers, "content-type": "application/json" };
      return fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    };
    const ask = async (message: string) => {
      const { sessionId } = (await (await post("/sessions", {})).json()) as { sessionId: string };
      const answer = await post(`/messages/${sessionId}`, { message });
      assert.equal(answer.status, 200, await answer.text());
      return sessionId;
    };
    return { ask, kill, died };
  }

  it("is succeeded by one that pays each claim once, and loses none", { timeout: 300_000 }, async () => {
    let unsent: Hex | undefined;
    const first = await startVictim((call, kill) => {
      unsent ??= settlementIn(call);
      if (unsent !== undefined) kill();
      return unsent === undefined ? undefined : refused;
    });
    const sessions = [await first.ask("killed before its settlement is sent")];
    assert.deepEqual(await first.died, [null, "SIGKILL"]);

    let sent: Hex | undefined;
    const second = await startVictim((call) => {
      const hash = settlementIn(call);
      if (hash !== unsent) sent ??= hash;
      return call.method === "eth_getTransactionReceipt" && call.params[0] === sent ? refused : undefined;
    });
    sessions.push(await second.ask("killed after its settlement is mined"));
    const receiptOf = async () =>
      sent && ((await world.anvil.rpc("eth_getTransactionReceipt", [sent])) as { status: Hex } | null);
    const mined = await until(
      async () => (await receiptOf()) || null,
      (receipt) => receipt !== null,
    );
    assert.equal(mined?.status, "0x1");
    second.kill();
    assert.deepEqual(await second.died, [null, "SIGKILL"]);

    const successor = await openPaidOracle(world, env);
    try {
      const rows = () => successor.deps.db.select().from(oracleClaims);
      const left = await rows();
      assert.equal(left.find(({ sessionId }) => sessionId === sessions[1])?.state, "unknown");
      const claims = await until(rows, (all) => all.every(({ state }) => state === "paid"), 60_000);
      assert.deepEqual(claims.map(({ sessionId }) => sessionId).sort(), [...sessions].sort());
      const hashes = sessions.map((session) => claims.find(({ sessionId }) => sessionId === session)?.transactionHash);
      assert.deepEqual(hashes, [unsent, sent]);
      const paid = await successor.deps.chain.past("oracles", "ClaimPaid", { oracle: oracleIdOf(successor.did) });
      assert.deepEqual(paid.map(({ args }) => args.claimId).sort(), claims.map(({ id }) => onChainClaimId(id)).sort());
      assert.equal((await payer.depositOf()).balance, PRICE * 3n);
    } finally {
      await successor.close();
    }
  });
});
