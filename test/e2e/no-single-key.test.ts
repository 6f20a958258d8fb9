import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import {
  type Abi,
  type AbiFunction,
  type AbiParameter,
  type Address,
  concat,
  createPublicClient,
  encodeFunctionData,
  type Hex,
  http,
  type PublicClient,
  pad,
  stringToHex,
  zeroHash,
} from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { abis } from "../../api/platform/chain/contracts.ts";
import { readCouncilState } from "../../api/scheme/governance/council-state.ts";
import { encodeExecute, encodeSchedule, newOperation } from "../../api/scheme/governance/operations.ts";
import { encodeExecTransaction, packSignatures, safeTxOf } from "../../api/scheme/governance/safe-tx.ts";
import { councilAbi } from "../../deployments/abi/council.ts";
import { timelockAbi } from "../../deployments/abi/timelock.ts";
import { contractNames } from "../../deployments/deployment.ts";
import { readRoleTable, roleTableProblems } from "../../scripts/deploy/role-table.ts";
import { type SafeTx, safeTypedData } from "../../wire/src/typed-data.ts";
import { type CouncilChain, keyNames, openCouncilChain, passTime } from "../support/council-chain.ts";
import { alwaysRefused, guardedCalls, openFunctions, tightening } from "./no-single-key-lists.ts";

const allAbis: Record<string, Abi> = { ...abis, timelock: timelockAbi, council: councilAbi };
const changing = Object.entries(allAbis).flatMap(([contract, abi]) =>
  abi
    .filter((item): item is AbiFunction => item.type === "function")
    .filter(({ stateMutability }) => stateMutability === "nonpayable" || stateMutability === "payable")
    .map((item) => ({ contract, item, name: `${contract}.${item.name}` })),
);

describe("No single key", () => {
  let chain: CouncilChain;
  let client: PublicClient;
  let callers: [string, Address][];
  before(async () => {
    chain = await openCouncilChain();
    client = createPublicClient({ transport: http(chain.anvil.url), cacheTime: 0, pollingInterval: 20 });
    const outsider = privateKeyToAccount(`0x${"77".repeat(32)}`).address;
    const { vouchers, carbon, pool } = chain.deployment.contracts;
    // CARBON that has arrived and is not counted yet: only then could anybody be paid for it.
    await impersonate(vouchers, carbon, encode("carbon.mint", [10_000_000n]));
    await impersonate(vouchers, carbon, encode("carbon.transfer", [pool, 10_000_000n]));
    callers = [...keyNames.map((name): [string, Address] => [name, chain.address(name)]), ["outsider", outsider]];
  });
  after(() => chain.close());

  const addressOf = (contract: string): Address => chain.deployment.contracts[contract as "pool"];
  const passes = async (from: Address, to: Address, data: Hex): Promise<boolean> =>
    await client.call({ account: from, to, data }).then(
      () => true,
      (error: Error) => {
        // A node that does not answer has refused nothing.
        if (!/revert|GS\d\d\d|restricted/i.test(error.message)) throw error;
        return false;
      },
    );

  it("is left out: every function of every contract that changes state is guarded, or listed with its reason", () => {
    assert.deepEqual(Object.keys(allAbis).sort(), [...contractNames].sort());
    const guarded = Object.keys(guardedCalls(chain));
    const lists = [guarded, Object.keys(alwaysRefused(chain)), Object.keys(openFunctions)];
    for (const name of new Set(changing.map((each) => each.name))) {
      const found = lists.filter((list) => list.includes(name)).length;
      assert.equal(found, 1, `${name} is in ${found} lists of no-single-key-lists.ts: say in one who may call it.`);
    }
    const known = new Set(changing.map((each) => each.name));
    for (const name of lists.flat()) assert.ok(known.has(name), `There is no ${name} any more.`);
  });

  it("moves reserves, sets price, fee or caps, unpauses, gives roles, or changes Safe or timelock", async () => {
    for (const [name, { as, attempts }] of Object.entries(guardedCalls(chain))) {
      const [contract = ""] = name.split(".");
      for (const args of attempts) {
        const data = encode(name, args);
        assert.ok(
          await passes(as, addressOf(contract), data),
          `${name} is refused to its rightful caller: this shows nothing.`,
        );
        for (const [who, account] of callers) {
          assert.equal(await passes(account, addressOf(contract), data), false, `${who} alone may call ${name}.`);
        }
      }
    }
    for (const [name, attempts] of Object.entries(alwaysRefused(chain))) {
      for (const args of attempts) {
        for (const [who, account] of callers) {
          const to = addressOf(name.split(".")[0] ?? "");
          assert.equal(await passes(account, to, encode(name, args)), false, `${who} alone may call ${name}.`);
        }
      }
    }
  });

  it("changes what the council decides by anything else that it may call", async () => {
    // Counted in, so that what anybody may count in stays what it is.
    await impersonate(chain.address("operator"), addressOf("pool"), encode("pool.takeIn", []));
    const before = await protectedState();
    let through = 0;
    for (const { contract, item, name } of changing) {
      for (const [who, account] of callers) {
        const args = item.inputs.map((input) => plausible(input, account));
        const data = encodeFunctionData({ abi: [item], functionName: item.name, args });
        if (tightening[name]?.includes(who as never) || !(await passes(account, addressOf(contract), data))) continue;
        through++;
        const snapshot = await chain.anvil.rpc("evm_snapshot");
        await impersonate(account, addressOf(contract), data);
        assert.deepEqual(await protectedState(), before, `${who} alone changed it by ${name}.`);
        await chain.anvil.rpc("evm_revert", [snapshot]);
      }
    }
    assert.ok(through > 30, `Only ${through} calls went through: this shows little.`);
    assert.deepEqual(await protectedState(), before);
  });

  async function impersonate(from: Address, to: Address, data: Hex): Promise<void> {
    await chain.anvil.rpc("anvil_impersonateAccount", [from]);
    await chain.anvil.rpc("anvil_setBalance", [from, "0xffffffffffffffff"]);
    await chain.anvil.rpc("eth_sendTransaction", [{ from, to, data, gas: "0x4c4b40" }]);
    await chain.anvil.rpc("evm_mine", []);
    await chain.anvil.rpc("anvil_stopImpersonatingAccount", [from]);
  }

  /** All that only the council may change; what the API's key and the other roles do must leave it alone. */
  async function protectedState() {
    const { contracts } = chain.deployment;
    const { nonce: _, ...state } = await readCouncilState(client, contracts);
    const table = await readRoleTable(client, chain.deployment);
    const balances = await Promise.all(
      [contracts.carbon, contracts.stablecoin].map((address) =>
        client.readContract({ address, abi: abis.carbon, functionName: "balanceOf", args: [contracts.pool] }),
      ),
    );
    const { faucet: __, participants, ...rest } = table;
    // A role may be laid down by who holds it; what counts is that nobody gains one.
    const gained = roleTableProblems(table, chain.deployment).filter((text) => !/held by nobody|faucet/.test(text));
    return { state, rest: { ...rest, council: participants.council }, balances, gained };
  }

  describe("but two of three, after the delay", () => {
    const keys = (...numbers: (1 | 2 | 3)[]) => numbers.map((n) => chain.keys[`council-${n}`]);
    const price = async () => (await readCouncilState(client, chain.deployment.contracts)).price;
    const setPrice = (value: bigint) => ({
      target: addressOf("pool"),
      value: 0n,
      data: encodeFunctionData({ abi: abis.pool, functionName: "setPrice", args: [value] }),
    });

    async function decide(tx: SafeTx, signers: Hex[]): Promise<Hex> {
      const { council } = chain.deployment.contracts;
      const typedData = safeTypedData({ chainId: 31337, council }, tx);
      const signatures = await Promise.all(
        signers.map(async (key) => {
          const account = privateKeyToAccount(key);
          return { signer: account.address, signature: await account.signTypedData(typedData), isContract: false };
        }),
      );
      return encodeExecTransaction(tx, packSignatures(signatures));
    }
    const nonce = () => client.readContract({ address: addressOf("council"), abi: councilAbi, functionName: "nonce" });
    async function send(to: Address, data: Hex) {
      await client.call({ account: chain.address("operator"), to, data });
      const hash = await chain.sendAs("operator", to, data);
      assert.equal((await client.waitForTransactionReceipt({ hash, pollingInterval: 50 })).status, "success");
    }
    const refused = async (data: Hex, reason: RegExp, to = addressOf("council")) =>
      await assert.rejects(client.call({ account: chain.address("operator"), to, data }), reason);
    const scheduleOf = (value: bigint, seconds: number, salt = value) => {
      const operation = newOperation([setPrice(value)], {
        salt: pad(`0x${salt.toString(16)}`),
        delay: BigInt(seconds),
      });
      return { operation, call: { target: addressOf("timelock"), value: 0n, data: encodeSchedule(operation) } };
    };

    it("is refused to one of three, and to one who signs twice", async () => {
      const { call } = scheduleOf(20_100n, 86_400);
      const tx = safeTxOf(call, await nonce());
      await refused(await decide(tx, keys(1)), /GS020/);
      await refused(await decide(tx, keys(1, 1)), /GS026/);
      // Who sends it counts as one approval, and not as two.
      const own = concat([pad(chain.address("council-1")), zeroHash, "0x01"]);
      const data = encodeExecTransaction(tx, concat([own, own]));
      await assert.rejects(
        client.call({ account: chain.address("council-1"), to: addressOf("council"), data }),
        /GS026/,
      );
    });

    it("is refused without the delay, and to the Safe without the timelock", async () => {
      const { call } = scheduleOf(20_100n, 0);
      await refused(await decide(safeTxOf(call, await nonce()), keys(1, 2)), /revert/);
      await refused(await decide(safeTxOf(setPrice(20_100n), await nonce()), keys(1, 2)), /revert/);
    });

    it("succeeds once, from any caller, and never twice", async () => {
      const { operation, call } = scheduleOf(20_100n, 86_400);
      const decision = await decide(safeTxOf(call, await nonce()), keys(1, 3));
      await send(addressOf("council"), decision);
      await refused(decision, /GS026/);
      const execute = encodeExecute(operation);
      await refused(execute, /revert/, addressOf("timelock"));
      await passTime(chain, 86_401);
      await send(addressOf("timelock"), execute);
      assert.equal(await price(), 20_100n);
      await refused(execute, /revert/, addressOf("timelock"));
      const again = await decide(safeTxOf(call, await nonce()), keys(1, 3));
      await refused(again, /revert/);
    });

    it("is never a delegatecall", async () => {
      const swap = encodeFunctionData({ abi: councilAbi, functionName: "changeThreshold", args: [1n] });
      for (const to of [addressOf("pool"), addressOf("council"), addressOf("timelock")]) {
        const tx = { ...safeTxOf({ target: to, value: 0n, data: swap }, await nonce()), operation: 1 };
        await refused(await decide(tx, keys(1, 2, 3)), /This call is restricted/);
      }
    });

    it("is refused with the signature of a former member", async () => {
      const args = [chain.address("council-2"), chain.address("council-3"), chain.address("deployer")] as const;
      const data = encodeFunctionData({ abi: councilAbi, functionName: "swapOwner", args });
      const { call } = scheduleOf(20_200n, 86_400);
      const earlier = await decide(safeTxOf(call, (await nonce()) + 1n), keys(1, 3));
      const swap = safeTxOf({ target: addressOf("council"), value: 0n, data }, await nonce());
      await send(addressOf("council"), await decide(swap, keys(1, 2)));
      await refused(earlier, /GS026/);
      await refused(await decide(safeTxOf(call, await nonce()), keys(1, 3)), /GS026/);
    });
  });
});

function encode(name: string, args: readonly unknown[]): Hex {
  const [contract = "", functionName = ""] = name.split(".");
  return encodeFunctionData({ abi: allAbis[contract] as Abi, functionName, args });
}

/** A value of a type that a call may well go through with: the caller itself, the first of everything, one unit. */
function plausible(parameter: AbiParameter, caller: Address): unknown {
  const { type } = parameter;
  const list = /^(.*)\[(\d*)\]$/.exec(type);
  if (list !== null) return [plausible({ ...parameter, type: list[1] ?? "" }, caller)];
  if (type === "tuple") {
    const components = "components" in parameter ? parameter.components : [];
    return Object.fromEntries(components.map((each) => [each.name, plausible(each, caller)]));
  }
  if (type === "address") return caller;
  if (type === "bool") return true;
  if (type === "string") return "did:example:one";
  if (type === "bytes") return "0x";
  const bytes = /^bytes(\d+)$/.exec(type)?.[1];
  if (bytes !== undefined) return pad(stringToHex("x"), { dir: "right", size: Number(bytes) });
  return /^u?int(8|16|24|32|40|48)?$/.test(type) && /8|16|24|32|40|48/.test(type) ? 1 : 1n;
}
