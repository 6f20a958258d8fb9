import assert from "node:assert/strict";
import { mkdtemp, rm, truncate } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { type EmbeddedChain, startEmbeddedChain } from "../../scripts/embedded-chain.ts";
import { freePorts } from "../support/ports.ts";

type Block = { number: string; hash: string; timestamp: string };
type Receipt = { blockNumber: string; status: string };
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe("the embedded chain", () => {
  let folder: string;
  let port: number;
  let chain: EmbeddedChain;
  const accounts = Array.from({ length: 4 }, () => privateKeyToAccount(generatePrivateKey()));
  const start = () => startEmbeddedChain({ folder: join(folder, "chain"), port, logFile: join(folder, "chain.log") });
  const block = (tag: string) => chain.rpc<Block>("eth_getBlockByNumber", [tag, false]);
  const kill = async () => {
    process.kill(-chain.pid, "SIGKILL");
    await chain.died;
  };

  async function send(account: PrivateKeyAccount, nonce: number): Promise<string> {
    const fees = { gas: 21_000n, maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1n };
    const to = "0x00000000000000000000000000000000000000aa";
    const raw = await account.signTransaction({ type: "eip1559", chainId: 31_337, to, value: 1n, nonce, ...fees });
    return chain.rpc<string>("eth_sendRawTransaction", [raw]);
  }

  async function receipt(hash: string): Promise<Receipt> {
    for (let waited = 0; waited < 10_000; waited += 20) {
      const found = await chain.rpc<Receipt | null>("eth_getTransactionReceipt", [hash]);
      if (found !== null) return found;
      await pause(20);
    }
    throw new Error(`No receipt for ${hash}`);
  }

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "hearth-chain-"));
    [port = 0] = await freePorts(1);
    chain = await start();
    for (const { address } of accounts) await chain.rpc("anvil_setBalance", [address, "0xde0b6b3a7640000"]);
  });
  after(async () => {
    await chain.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test("mines every one of many transactions sent together, at equal pace with the clock", async () => {
    const hashes = await Promise.all(
      accounts.flatMap((account) => Array.from({ length: 50 }, (_, n) => send(account, n))),
    );
    const receipts = await Promise.all(hashes.map(receipt));
    assert.ok(receipts.every(({ status }) => status === "0x1"));
    const drift = Number((await block("latest")).timestamp) - Date.now() / 1000;
    assert.ok(Math.abs(drift) < 10, `the chain is ${drift} s off`);
  });

  test("answers a read of the latest state that blocks overtake", async () => {
    const [{ address }] = accounts as [PrivateKeyAccount];
    const call = { to: "0x0000000000000000000000000000000000000004", data: "0x1234" };
    // What a read on "latest" comes to when a block is mined between its lookup of the head and of the head's state.
    for (let round = 0; round < 5; round += 1) {
      const { number } = await block("latest");
      await chain.rpc("evm_mine");
      assert.notEqual((await block("latest")).number, number);
      assert.equal(await chain.rpc("eth_call", [call, number]), "0x1234");
      assert.match(await chain.rpc("eth_getBalance", [address, number]), /^0x/);
    }
    // The same as it happens: many reads while two blocks are mined. A slow machine must not let more blocks pass.
    for (let round = 0; round < 20; round += 1) {
      const read = async () => assert.equal(await chain.rpc("eth_call", [call, "latest"]), "0x1234");
      await Promise.all([chain.rpc("evm_mine"), ...Array.from({ length: 8 }, read), chain.rpc("evm_mine")]);
    }
  });

  test("continues at the same head with the same genesis and receipts after a stop", async () => {
    const hash = await send(accounts[0] as PrivateKeyAccount, 50);
    const mined = await receipt(hash);
    const [genesis, head] = [await block("0x0"), await block(mined.blockNumber)];
    await chain.stop();
    chain = await start();
    assert.equal(chain.isNew, false);
    assert.equal((await block("0x0")).hash, genesis.hash);
    assert.equal((await block(mined.blockNumber)).hash, head.hash);
    assert.deepEqual(await receipt(hash), mined);
  });

  test("keeps its genesis over many starts", async () => {
    const genesis = await block("0x0");
    for (let starts = 0; starts < 5; starts++) {
      await chain.stop();
      await pause(1_000);
      chain = await start();
      assert.equal((await block("0x0")).hash, genesis.hash);
    }
  });

  test("keeps the hashes of past blocks over a restart where draws look them up", async () => {
    // EIP-2935. After a restart this anvil answers the BLOCKHASH opcode with invented hashes.
    const history = "0x0000F90827F1C53a10cb7A02335B175320002935";
    await chain.stop();
    chain = await start();
    await chain.rpc("evm_mine");
    const { number } = await block("latest");
    for (let back = 1; back <= Math.min(Number(number), 300); back += 1) {
      const past = `0x${(Number(number) - back).toString(16)}`;
      const data = `0x${past.slice(2).padStart(64, "0")}`;
      const kept = await chain.rpc("eth_call", [{ to: history, data }, "latest"]);
      if (past !== "0x0") assert.equal(kept, (await block(past)).hash, `block ${past}`);
    }
  });

  test("loses to kill -9 nothing that is older than a few seconds", async () => {
    const hash = await send(accounts[0] as PrivateKeyAccount, 51);
    const mined = await receipt(hash);
    const head = await block(mined.blockNumber);
    await pause(2_500);
    await kill();
    chain = await start();
    assert.deepEqual(await receipt(hash), mined);
    assert.equal((await block(mined.blockNumber)).hash, head.hash);
  });

  test("leaves a chain that ended to the next start on its port", async () => {
    for (let starts = 0; starts < 4; starts += 1) {
      await kill();
      chain = await start();
    }
    const before = Number((await block("latest")).number);
    await pause(3_000);
    const mined = Number((await block("latest")).number) - before;
    assert.ok(mined <= 5, `${mined} blocks in 3 s: the chains before still mine`);
  });

  test("follows a moved clock, and keeps it over a restart", async () => {
    await chain.rpc("evm_increaseTime", [30 * 86_400]);
    const now = async () => Number((await block("latest")).timestamp);
    /** Wait for a block of a time or later, at most half a minute. */
    const blockAt = async (time: () => number) => {
      for (const end = Date.now() + 30_000; (await now()) < time() && Date.now() < end; ) await pause(100);
    };
    await blockAt(() => Date.now() / 1000 + 30 * 86_400 - 5);
    const moved = await now();
    assert.ok(moved - Date.now() / 1000 > 30 * 86_400 - 35);
    await chain.checkpoint();
    await kill();
    chain = await start();
    await pause(1_200);
    assert.ok((await now()) >= moved);
    await chain.rpc("evm_setNextBlockTimestamp", [moved + 86_400]);
    await blockAt(() => moved + 86_400);
    assert.ok((await now()) >= moved + 86_400);
  });

  test("falls back to the dump before when the newest is torn", async () => {
    await chain.checkpoint();
    const kept = await block("latest");
    await pause(1_200);
    await chain.checkpoint();
    await kill();
    await truncate(join(folder, "chain", "state.json.gz"), 1_000);
    chain = await start();
    assert.equal((await block(kept.number)).hash, kept.hash);
  });
});
