// What a public chain does that the embedded one does not: fees that rise, keys used elsewhere, confirmations, several nodes.
import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import {
  createWalletClient,
  formatUnits,
  type Hex,
  http,
  keccak256,
  parseGwei,
  parseTransaction,
  stringToBytes,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { createTestWorld, openTestChain, type TestWorld } from "../../../test/support/chain.ts";
import { startLaggingNode } from "../../../test/support/lagging-node.ts";
import { startRpcProxy } from "../../../test/support/rpc-proxy.ts";
import { untilFound } from "../../../test/support/until.ts";
import { AppError } from "../errors.ts";
import { isChainUnreachable } from "../unavailable.ts";
import type { Chain } from "./chain.ts";
import { PendingTransactionError } from "./errors/pending-transaction-error.ts";
import { GasBudget } from "./outbox/gas-budget.ts";
import type { MinedCall } from "./outbox/outbox.ts";
import { findById, nextNonceOf } from "./outbox/store.ts";
import { submitCall } from "./submit.ts";
import type { ChainTransaction } from "./tables.ts";

const account = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

let world: TestWorld;
before(async () => {
  world = await createTestWorld();
});
after(() => world.close());

const outside = (more: Record<string, string> = {}) => ({
  RPC_URL: world.anvil.url,
  CHAIN_ID: "31337",
  DEPLOYMENT: world.deployment,
  RELAYER_KEY: world.contracts.keys.operator,
  REGISTRAR_KEY: world.contracts.keys.registrar,
  MAX_FEE_GWEI: "20",
  MAX_PRIORITY_FEE_GWEI: "2.5",
  RAISE_FEE_AFTER_MS: "1000",
  ...more,
});

/** The usual waits in a tenth of the time. */
const pace = { pollMs: 100, everyMs: 200, resendAfterMs: 300, fillAfterMs: 1_000 };

const openOutside = (more: Record<string, string> = {}) => openTestChain(world, outside(more), pace);

function register({ chain }: { chain: Chain }, did: string): Promise<MinedCall> {
  return submitCall(
    { chain },
    { idempotencyKey: did },
    {
      sender: "registrar",
      contract: "participants",
      functionName: "registerSupplier",
      args: [did, account, "Stove shop", "north"],
      gas: 400_000n,
      purpose: "supplier.register",
    },
  );
}

/** Register while the chain does not mine it, and return the stored transaction. */
async function registerUnmined(chain: Chain, did: string): Promise<ChainTransaction> {
  const { options } = chain.outbox;
  const wait = options.txWaitMs;
  options.txWaitMs = 300;
  const thrown = await register({ chain }, did).catch((error: unknown) => error);
  options.txWaitMs = wait;
  assert.ok(thrown instanceof PendingTransactionError, String(thrown));
  return (await findById(options.db, thrown.transactionId)) as ChainTransaction;
}

const untilMined = (chain: Chain, id: number): Promise<ChainTransaction> =>
  untilFound(async () => {
    const row = await findById(chain.outbox.options.db, id);
    return row?.status === "mined" ? row : undefined;
  });

const registrations = async (chain: Chain, did: string) =>
  (await chain.past("participants", "SupplierRegistered", {})).filter(({ args }) => args.did === did).length;

const setBaseFee = (gwei: string) =>
  world.anvil.rpc("anvil_setNextBlockBaseFeePerGas", [`0x${parseGwei(gwei).toString(16)}`]);

describe("an outside chain", () => {
  let chain: Chain;
  let close: () => Promise<void>;
  before(async () => {
    ({ chain, close } = await openOutside());
  });
  after(() => close());

  it("waits while the base fee is above the cap, says so, and mines the same transaction when it has fallen", async () => {
    await world.anvil.pauseMining();
    await setBaseFee("100");
    await world.anvil.rpc("evm_mine");
    await untilFound(() => chain.fees.baseFeeAboveCap());
    const row = await registerUnmined(chain, "did:test:capped");
    const { maxFeePerGas, maxPriorityFeePerGas } = parseTransaction(row.raw as Hex);
    assert.equal(maxFeePerGas, parseGwei("20"));
    assert.ok((maxPriorityFeePerGas ?? 0n) <= parseGwei("2.5"));
    await sleep(2_500);
    const waiting = await findById(chain.outbox.options.db, row.id);
    assert.deepEqual([waiting?.status, waiting?.hash], ["open", row.hash], "no version above the cap is signed");
    // Blocks that are not full lower the base fee by an eighth each.
    await world.anvil.rpc("anvil_mine", ["0x14"]);
    await world.anvil.resumeMining();
    const mined = await untilMined(chain, row.id);
    assert.equal(mined.nonce, row.nonce);
    assert.equal(await registrations(chain, "did:test:capped"), 1);
    assert.equal(chain.fees.baseFeeAboveCap(), undefined);
    assert.match(String(mined.feeWei), /^[1-9]\d+$/, "what it cost is stored");
  });

  it("replaces a transaction whose fee has become too low, at the same nonce and with one effect", async () => {
    await world.anvil.pauseMining();
    const row = await registerUnmined(chain, "did:test:too-low");
    const first = parseTransaction(row.raw as Hex);
    assert.ok((first.maxFeePerGas ?? 0n) < parseGwei("15"));
    await setBaseFee("15");
    await world.anvil.rpc("evm_mine");
    await untilFound(async () => {
      const { hash } = (await findById(chain.outbox.options.db, row.id)) ?? row;
      return hash === row.hash ? undefined : hash;
    });
    await setBaseFee("15");
    await world.anvil.resumeMining();
    const mined = await untilMined(chain, row.id);
    const last = parseTransaction(mined.raw as Hex);
    assert.equal(mined.nonce, row.nonce);
    assert.ok(mined.replacedHashes.includes(row.hash));
    assert.ok((last.maxFeePerGas ?? 0n) > parseGwei("15") && (last.maxFeePerGas ?? 0n) <= parseGwei("20"));
    assert.equal(await registrations(chain, "did:test:too-low"), 1);
  });

  it("signs a call again when its nonce was used elsewhere, and only once that is final", async () => {
    await setBaseFee("1");
    await untilFound(() => ((chain.head.latest?.baseFee ?? 0n) <= parseGwei("1") ? true : undefined));
    await world.anvil.pauseMining();
    const row = await registerUnmined(chain, "did:test:used-elsewhere");
    const registrar = privateKeyToAccount(world.contracts.keys.registrar as Hex);
    const wallet = createWalletClient({ account: registrar, transport: http(world.anvil.url) });
    // As from another copy of the key: the same nonce, with a higher fee.
    await wallet.sendTransaction({
      chain: null,
      to: registrar.address,
      value: 1n,
      nonce: row.nonce,
      gas: 50_000n,
      maxFeePerGas: parseGwei("100"),
      maxPriorityFeePerGas: parseGwei("50"),
    });
    await world.anvil.rpc("evm_mine");
    await world.anvil.rpc("anvil_mine", ["0xa"]);
    await sleep(1_500);
    const undecided = await findById(chain.outbox.options.db, row.id);
    assert.deepEqual([undecided?.status, undecided?.nonce], ["open", row.nonce], "a reorganisation may still undo it");
    await world.anvil.rpc("anvil_mine", ["0x1e"]);
    await world.anvil.resumeMining();
    const mined = await untilMined(chain, row.id);
    assert.ok(mined.nonce > row.nonce);
    assert.equal(await registrations(chain, "did:test:used-elsewhere"), 1);
    assert.equal(chain.outbox.foreignNonces, 1);
    await register({ chain }, "did:test:afterwards");
  });

  it("skips nonces that were used elsewhere before it signs", async () => {
    const before = chain.outbox.foreignNonces;
    const registrar = privateKeyToAccount(world.contracts.keys.registrar as Hex);
    const wallet = createWalletClient({ account: registrar, transport: http(world.anvil.url) });
    for (let i = 0; i < 2; i++) await wallet.sendTransaction({ to: registrar.address, value: 1n, chain: null });
    await untilFound(() => (chain.outbox.foreignNonces >= before + 2 ? true : undefined));
    assert.equal(chain.outbox.foreignNonces, before + 2);
    await register({ chain }, "did:test:after-skipping");
  });

  it("fills a nonce that no transaction has, and lets what waits behind it be mined", async () => {
    const { db } = chain.outbox.options;
    const registrar = world.contracts.keys.registrar as Hex;
    const address = privateKeyToAccount(registrar).address.toLowerCase();
    await db.execute(sql`update chain_senders set next_nonce = next_nonce + 2 where address = ${address}`);
    const row = await registerUnmined(chain, "did:test:behind-a-gap");
    const registered = await untilMined(chain, row.id);
    const { rows } = await db.execute<{ id: string }>(
      sql`select id from chain_transactions where purpose = 'nonce.fill'`,
    );
    assert.equal(rows.length, 2);
    const fills = await Promise.all(rows.map(({ id }) => untilMined(chain, Number(id))));
    const fees = [...fills, registered].map(({ feeWei }) => BigInt(feeWei ?? 0));
    assert.ok(fees.every((fee) => fee > 0n));
    const spent = new GasBudget({ db, senders: [address as Hex], etherPerDay: undefined }).spent;
    const others = await db.execute<{ wei: string }>(
      sql`select coalesce(sum(fee_wei), 0)::text as wei from chain_transactions
        where sender = ${address} and purpose <> 'nonce.fill'`,
    );
    assert.equal(await spent(), BigInt(others.rows[0]?.wei ?? 0) + (fees[0] ?? 0n) + (fees[1] ?? 0n), "fills count");
    assert.equal(await registrations(chain, "did:test:behind-a-gap"), 1);
  });
});

/** Pick about half of all numbers, in no pattern that a sequence of requests could have too. */
const isPicked = (number: number) => (Math.imul(number, 2_654_435_761) >>> 20) % 2 === 0;

describe("an outside chain that loses many blocks", () => {
  let own: TestWorld;
  let chain: Chain;
  let close: () => Promise<void>;
  before(async () => {
    own = await createTestWorld();
    const env = { ...outside(), RPC_URL: own.anvil.url, DEPLOYMENT: own.deployment };
    ({ chain, close } = await openTestChain(own, env, pace));
  });
  after(async () => {
    await close();
    await own.close();
  });

  const household = (name: string): Promise<MinedCall> =>
    submitCall(
      { chain },
      { idempotencyKey: name },
      {
        sender: "operator",
        contract: "participants",
        functionName: "registerHouseholds",
        args: [[keccak256(stringToBytes(name))], []],
        gas: 200_000n,
        purpose: "test",
      },
    );

  /** Send each call in a separate block, lose all these blocks, and return those in which the calls are then. */
  async function loseAndFind(calls: (() => Promise<MinedCall>)[]): Promise<number[]> {
    await own.anvil.pauseMining();
    const hashes: Hex[] = [];
    for (const call of calls) {
      const done = call();
      await untilFound(async () => {
        const { pending } = (await own.anvil.rpc("txpool_status")) as { pending: string };
        return Number(pending) > 0 || undefined;
      });
      await own.anvil.rpc("evm_mine");
      hashes.push((await done).transactionHash);
    }
    await own.anvil.rpc("anvil_reorg", [calls.length, []]);
    const { number: lost } = await chain.latest();
    await own.anvil.resumeMining();
    const found = hashes.map((hash) =>
      untilFound(async () => {
        const receipt = await chain.client.getTransactionReceipt({ hash }).catch(() => undefined);
        return receipt !== undefined && receipt.blockNumber > lost ? Number(receipt.blockNumber) : undefined;
      }),
    );
    return await Promise.all(found);
  }

  it("sends one account's transactions again without a wait for each lost block", async () => {
    const calls = Array.from({ length: 20 }, (_, nth) => () => register({ chain }, `did:test:lost-${nth}`));
    const blocks = await loseAndFind(calls);
    assert.deepEqual(
      blocks,
      [...blocks].sort((a, b) => a - b),
      "they are in the same order",
    );
    assert.ok(new Set(blocks).size <= 8, `they are in few blocks: ${blocks}`);
  });

  it("keeps the order of the transactions of several accounts", async () => {
    const calls = [1, 2, 3].flatMap((nth) => [
      () => register({ chain }, `did:test:mixed-${nth}`),
      () => register({ chain }, `did:test:mixed-again-${nth}`),
      () => household(`mixed-household-${nth}`),
    ]);
    const blocks = await loseAndFind(calls);
    for (const at of [2, 5, 8]) {
      const [before = 0, own = 0, next = Infinity] = blocks.slice(at - 1, at + 2);
      assert.ok(before < own && own < next, `a household is registered after and before the same suppliers: ${blocks}`);
    }
  });
});

describe("an outside chain's configuration", () => {
  let opened: { close: () => Promise<void> }[] = [];
  const open = async (env: Record<string, string>) => {
    const each = await openOutside(env);
    opened.unshift(each);
    return each;
  };
  afterEach(async () => {
    for (const { close } of opened) await close();
    opened = [];
  });

  it("answers a write once its block has the configured number of confirmations", async () => {
    const { chain } = await open({ CONFIRMATIONS: "4" });
    const mined = await register({ chain }, "did:test:confirmed");
    assert.ok((chain.head.latest?.number ?? 0n) - mined.blockNumber >= 3n);
    const again = await register({ chain }, "did:test:confirmed");
    assert.equal(again.transactionHash, mined.transactionHash);
  });

  it("refuses new writes with 503 when the day's gas budget is used up", async () => {
    const { chain: unlimited, close } = await openOutside();
    const spentGwei = (await unlimited.outbox.options.budget.spent()) / parseGwei("1");
    await close();
    const { chain } = await open({ GAS_BUDGET_ETHER_PER_DAY: formatUnits(spentGwei + 1n, 9) });
    const { budget } = chain.outbox.options;
    const within = await register({ chain }, "did:test:within-budget");
    await sleep(5_100);
    assert.ok((await budget.spent()) > (budget.limit as bigint));
    await assert.rejects(register({ chain }, "did:test:over-budget"), (error) => {
      assert.ok(error instanceof AppError);
      const { status, details, headers } = error;
      assert.deepEqual([status, details[0]?.rule, headers?.["Retry-After"]], [503, "gas-budget", "600"]);
      return true;
    });
    const repeated = await register({ chain }, "did:test:within-budget");
    assert.equal(repeated.transactionHash, within.transactionHash, "a repeat costs nothing");
  });

  it("asks the second node while the first does not answer", async () => {
    let isAway = false;
    const first = await startRpcProxy(world.anvil.url, () => (isAway ? { status: 502 } : undefined));
    const second = await startRpcProxy(world.anvil.url, () => undefined);
    opened.push(first, second);
    const { chain } = await open({ RPC_URL: `${first.url},${second.url}` });
    await register({ chain }, "did:test:first-node");
    assert.equal(second.calls.length, 0, "the second is asked only when it must be");
    isAway = true;
    const begin = Date.now();
    await register({ chain }, "did:test:second-node");
    assert.ok(Date.now() - begin < 5_000);
    assert.ok(second.calls.length > 0);
    await first.close();
    await register({ chain }, "did:test:no-first-node");
  });

  it("does not ask a node of another chain", async () => {
    let isAway = false;
    const first = await startRpcProxy(world.anvil.url, () => (isAway ? { status: 502 } : undefined));
    const second = await startRpcProxy(world.anvil.url, ({ method }) =>
      method === "eth_chainId" ? { result: "0x1" } : undefined,
    );
    opened.push(first, second);
    const { chain } = await open({ RPC_URL: `${first.url},${second.url}` });
    isAway = true;
    await assert.rejects(chain.check(), (error) => isChainUnreachable(error));
    await untilFound(() => second.calls[4]);
    assert.deepEqual(new Set(second.calls.map(({ method }) => method)), new Set(["eth_chainId"]));
    isAway = false;
  });

  it("offers wallets no higher priority fee than the cap, whatever the node suggests", async () => {
    const node = await startRpcProxy(world.anvil.url, ({ method }) =>
      method === "eth_maxPriorityFeePerGas" ? { result: "0xe8d4a51000" } : undefined,
    );
    opened.push(node);
    const { chain } = await open({ RPC_URL: node.url });
    assert.equal((await chain.fees.suggested()).maxPriorityFeePerGas, parseGwei("2.5"));
  });

  it("keeps an account's next nonce when a node counts transactions that no block has", async () => {
    let lies = 0;
    let isLying = false;
    const node = await startRpcProxy(world.anvil.url, ({ method }) => {
      if (!isLying || method !== "eth_getTransactionCount") return undefined;
      lies++;
      return { result: "0xf4240" };
    });
    opened.push(node);
    const { chain } = await open({ RPC_URL: node.url });
    const { db } = chain.outbox.options;
    await register({ chain }, "did:test:before-the-lie");
    const address = privateKeyToAccount(world.contracts.keys.registrar as Hex).address;
    const next = await nextNonceOf(db, address);
    isLying = true;
    await untilFound(() => (lies >= 2 ? true : undefined));
    isLying = false;
    assert.equal(await nextNonceOf(db, address), next);
    await register({ chain }, "did:test:after-the-lie");
    assert.equal(chain.outbox.foreignNonces, 0);
  });

  it("reads without delay again after a node has told of a block that does not exist", async () => {
    let isLying = false;
    const node = await startRpcProxy(world.anvil.url, ({ method }) =>
      isLying && method === "eth_blockNumber" ? { result: "0x3b9aca00" } : undefined,
    );
    opened.push(node);
    const { chain } = await open({ RPC_URL: node.url });
    await register({ chain }, "did:test:false-block");
    isLying = true;
    await chain.check();
    isLying = false;
    await sleep(1_500);
    const hash = keccak256(stringToBytes("did:test:false-block"));
    const readMs = async () => {
      const begin = performance.now();
      assert.notEqual(await chain.read("participants", "supplierIndex", [hash]), 0);
      return performance.now() - begin;
    };
    for (let i = 0; i < 3; i++) await readMs();
    assert.ok((await readMs()) < 1_000);
  });

  it("never reads a state from before an acknowledged write, while nodes behind one URL differ by some blocks", async () => {
    let calls = 0;
    // The start is answered by one node.
    let isMixed = false;
    const node = await startLaggingNode(world.anvil.url, { blocks: 20, isBehind: () => isMixed && isPicked(calls++) });
    opened.push(node);
    const { chain } = await open({ RPC_URL: node.url });
    await register({ chain }, "did:test:before-the-mix");
    const { lastBlock } = chain.outbox;
    isMixed = true;
    // The first lower block is what shows that the nodes differ.
    await untilFound(() => (calls >= 20 ? true : undefined));
    for (let i = 0; i < 3; i++) {
      const did = `did:test:mixed-${i}`;
      await register({ chain }, did);
      const hash = keccak256(stringToBytes(did));
      for (let again = 0; again < 2; again++) {
        assert.notEqual(await chain.read("participants", "supplierIndex", [hash]), 0, `${did} has disappeared`);
      }
    }
    assert.ok(chain.outbox.lastBlock > lastBlock);
    for (let i = 0; i < 3; i++) assert.equal(await registrations(chain, `did:test:mixed-${i}`), 1);
  });
});

// Comes last: its transaction, which cannot be mined, stays in the node's pool.
describe("an outside chain with a gap of a thousand nonces", () => {
  it("is not filled, because no reorganisation makes such a gap", async () => {
    const { chain, close } = await openOutside();
    const { db } = chain.outbox.options;
    const address = privateKeyToAccount(world.contracts.keys.registrar as Hex).address.toLowerCase();
    const filled = async () =>
      (await db.execute(sql`select id from chain_transactions where purpose = 'nonce.fill'`)).rows.length;
    const before = await filled();
    await db.execute(sql`update chain_senders set next_nonce = next_nonce + 1000 where address = ${address}`);
    await registerUnmined(chain, "did:test:behind-a-thousand");
    await sleep(2 * pace.fillAfterMs);
    assert.equal(await filled(), before);
    await close();
  });
});
