import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createPublicClient, createWalletClient, http, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { participantsAbi } from "../../../../deployments/abi/participants.ts";
import { createTestWorld, type TestWorld } from "../../../../test/support/chain.ts";
import { type RpcCall, type RpcRefusal, startRpcProxy } from "../../../../test/support/rpc-proxy.ts";
import { createPartReader, createPastReader } from "./past.ts";

const blocksApart = 9;
const dids = Array.from({ length: 6 }, (_, i) => `did:example:supplier/${i}`);

const rangeOf = ({ params }: RpcCall): { from: bigint; to: bigint | undefined } => {
  const { fromBlock, toBlock } = params[0] as { fromBlock: string; toBlock: string };
  return { from: BigInt(fromBlock), to: toBlock === "latest" ? undefined : BigInt(toBlock) };
};
const isSearch = ({ method }: RpcCall): boolean => method === "eth_getLogs";

describe("the search for past events", () => {
  let world: TestWorld;
  let start: bigint;

  before(async () => {
    world = await createTestWorld();
    start = BigInt(world.contracts.startBlock);
    const account = privateKeyToAccount(world.contracts.keys.registrar);
    const wallet = createWalletClient({ account, transport: http(world.anvil.url), pollingInterval: 50 }).extend(
      publicActions,
    );
    const address = world.contracts.addresses.participants;
    for (const did of dids) {
      const args = [did, `0x${did.at(-1)}${"1".repeat(39)}`, did, "Lusaka"] as const;
      const call = { abi: participantsAbi, address, functionName: "registerSupplier", args, chain: null } as const;
      await wallet.waitForTransactionReceipt({ hash: await wallet.writeContract(call) });
      await world.anvil.rpc("anvil_mine", [blocksApart]);
    }
  });
  after(() => world.close());

  /** Search through a server that refuses what `judge` says; answers the names found and the questions asked. */
  async function search(judge: (call: RpcCall) => RpcRefusal | undefined, startBlock = start, times = 1) {
    const proxy = await startRpcProxy(world.anvil.url, (call) => (isSearch(call) ? judge(call) : undefined));
    try {
      const client = createPublicClient({ transport: http(proxy.url, { retryCount: 0 }) });
      const past = createPastReader(client, world.contracts.addresses, createPartReader(client, startBlock));
      let found: string[] = [];
      for (let i = 0; i < times; i += 1) {
        found = (await past("participants", "SupplierRegistered", {})).map(({ args }) => args.did);
      }
      return { found, searches: proxy.calls.filter(isSearch) };
    } finally {
      await proxy.close();
    }
  }

  it("is one question where the server takes it", async () => {
    const { found, searches } = await search(() => undefined);
    assert.deepEqual(found, dids);
    assert.equal(searches.length, 1);
  });

  const limits: [string, RpcRefusal][] = [
    ["JSON-RPC -32005", { code: -32005, message: "query exceeds max block range 7" }],
    ["JSON-RPC -32000", { code: -32000, message: "block range is too wide" }],
    ["HTTP 413", { status: 413 }],
  ];
  for (const [name, refusal] of limits) {
    it(`continues in parts where the server limits a question's blocks (${name})`, async () => {
      const tooWide = (call: RpcCall) => {
        const { from, to } = rangeOf(call);
        return to === undefined || to - from + 1n > 7n ? refusal : undefined;
      };
      const { found, searches } = await search(tooWide);
      assert.deepEqual(found, dids);
      assert.ok(searches.every((call) => rangeOf(call).from >= start));
    });
  }

  it("halves a part that holds too many results, and grows again where there are few", async () => {
    // As servers that limit results do: no part may hold two of the events.
    const client = createPublicClient({ transport: http(world.anvil.url) });
    const all = await createPastReader(client, world.contracts.addresses, createPartReader(client, start))(
      "participants",
      "SupplierRegistered",
      {},
    );
    const blocks = all.map(({ blockNumber }) => blockNumber);
    const within = (call: RpcCall) => {
      const { from, to } = rangeOf(call);
      return blocks.filter((block) => block >= from && (to === undefined || block <= to)).length;
    };
    const { found, searches } = await search((call) =>
      within(call) > 1 ? { code: -32602, message: "query returned more than 1 results" } : undefined,
    );
    assert.deepEqual(found, dids);
    const sizes = searches.map((call) => {
      const { from, to } = rangeOf(call);
      return (to ?? from) - from;
    });
    assert.ok(
      sizes.some((size, i) => i > 0 && size > (sizes[i - 1] ?? size)),
      "no part grew",
    );
  });

  it("remembers what the server takes, and does not ask for everything again", async () => {
    const limit = (call: RpcCall): RpcRefusal | undefined => {
      const { from, to } = rangeOf(call);
      return to === undefined || to - from + 1n > 20n ? { code: -32005, message: "limit exceeded" } : undefined;
    };
    const { found, searches } = await search(limit, start, 2);
    assert.deepEqual(found, dids);
    assert.equal(searches.filter((call) => rangeOf(call).to === undefined).length, 1);
  });

  it("begins with the deployment's block", async () => {
    const client = createPublicClient({ transport: http(world.anvil.url) });
    const later = await client.getBlockNumber();
    assert.deepEqual((await search(() => undefined, later)).found, []);
  });

  it("gives up immediately when the server refuses the caller or is not there", async () => {
    for (const status of [401, 429])
      await assert.rejects(
        search(() => ({ status })),
        new RegExp(`${status}`),
      );
    const client = createPublicClient({ transport: http("http://127.0.0.1:1", { retryCount: 0 }) });
    const past = createPastReader(client, world.contracts.addresses, createPartReader(client, start));
    await assert.rejects(past("participants", "SupplierRegistered", {}), /HTTP request failed/);
  });

  it("ends when even one block is refused", async () => {
    let asked = 0;
    const never = (): RpcRefusal => {
      asked += 1;
      return { code: -32000, message: "no" };
    };
    await assert.rejects(search(never), /no/);
    assert.ok(asked < 20, `${asked} questions`);
  });
});
