import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { encodeFunctionData, getAddress, type Hex, maxUint64, pad } from "viem";
import type { CouncilContext, CouncilState } from "../../api/scheme/governance/council-state.ts";
import { describeDecision } from "../../api/scheme/governance/describe/describe-decision.ts";
import { encodeSchedule, newOperation } from "../../api/scheme/governance/operations.ts";
import { safeTxOf } from "../../api/scheme/governance/safe-tx.ts";
import type { ToSign } from "../../api/scheme/governance/schemas.ts";
import { poolAbi } from "../../deployments/abi/pool.ts";
import { contractNames, type DeployedContracts } from "../../deployments/deployment.ts";
import { approvalTypedData, type SafeTx, safeTypedData } from "../../wire/src/typed-data.ts";
import { review } from "./review.ts";

const contracts = Object.fromEntries(
  contractNames.map((name, i) => [name, getAddress(pad(`0x${(0x1000 + i).toString(16)}`, { size: 20 }))]),
) as DeployedContracts;
const caps = { perTransaction: 1n, perWindow: 1n, perDay: 1n, lifetime: maxUint64, perSupplierDay: maxUint64 };
const state: CouncilState = {
  price: 20_000n,
  fee: 0,
  caps,
  paused: false,
  carbonReserve: 0n,
  stablecoinReserve: 0n,
  stablecoinSymbol: "tUSD",
  operatorCap: 1n,
  pinCap: 1n,
  lifecycleCap: 1n,
  disputeStake: 1n,
  itmoDailyCap: 1n,
  bufferShare: 0,
  bufferHoldDays: 0,
  delay: 86_400n,
  owners: [],
  threshold: 2n,
  nonce: 0n,
  directory: {},
};
const context: CouncilContext & { state: CouncilState } = { chainId: 31337, contracts, state, operations: {} };
const at = { chainId: 31337, council: contracts.council };

function scheduleOf(price: bigint): SafeTx {
  const data = encodeFunctionData({ abi: poolAbi, functionName: "setPrice", args: [price] });
  const operation = newOperation([{ target: contracts.pool, value: 0n, data }], { salt: pad("0x1"), delay: 86_400n });
  return safeTxOf({ target: contracts.timelock, value: 0n, data: encodeSchedule(operation) }, 0n);
}

/** What an honest service answers for a transaction; `said`: one that tells of another instead. */
function answer(tx: SafeTx, said = tx): ToSign {
  const { statement } = describeDecision(said, context);
  const { summary, changes, notBefore } = statement;
  const plain = (typedData: object) =>
    JSON.parse(JSON.stringify(typedData, (_, value) => (typeof value === "bigint" ? `${value}` : value)));
  return {
    id: pad("0x1"),
    signer: "0x",
    nonce: "0",
    salt: pad("0x1"),
    warnings: [],
    again: null,
    context: {},
    queue: { nonce: "0", safeNonce: "0", ahead: [], note: null },
    typedData: plain(safeTypedData(at, tx)),
    statement: plain(approvalTypedData(at, statement)),
    words: { summary, changes, notBefore },
  };
}

describe("The review before a signature", () => {
  it("passes what is what it says", () => {
    const { statement } = review(answer(scheduleOf(21_000n)), context);
    assert.deepEqual(statement.changes, ["Set the pool's price from 0.020000 to 0.021000 tUSD per CARBON (+5.00 %)."]);
  });

  it("refuses bytes that do something else than the words say, and shows both", () => {
    const lie = answer(scheduleOf(24_000n), scheduleOf(21_000n));
    assert.throws(() => review(lie, context), /service says: Set .* to 0\.021000[\s\S]*bytes do: Set .* to 0\.024000/);
  });

  it("refuses a statement that is not made of the words", () => {
    const honest = answer(scheduleOf(21_000n));
    const statement = { ...honest.statement, message: { ...honest.statement.message, notBefore: "Immediately." } };
    assert.throws(() => review({ ...honest, statement }, context), /not made of these words/);
  });

  it("refuses another Safe, another chain, a delegatecall, and a call that cannot be read", () => {
    const honest = answer(scheduleOf(21_000n));
    const domain = (change: object) => ({
      ...honest,
      typedData: { ...honest.typedData, domain: { ...honest.typedData.domain, ...change } },
    });
    assert.throws(() => review(domain({ verifyingContract: contracts.pool }), context), /not this council's/);
    assert.throws(() => review(domain({ chainId: 1 }), context), /not this council's/);
    assert.throws(() => review(answer({ ...scheduleOf(21_000n), operation: 1 }), context), /delegatecall/);
    const data: Hex = "0x12345678";
    const unknown = safeTxOf({ target: contracts.pool, value: 0n, data }, 0n);
    assert.throws(() => review(answer(unknown), context), /cannot be read/);
  });

  it("refuses typed data whose types are not the Safe's", () => {
    const honest = answer(scheduleOf(21_000n));
    const types = { SafeTx: [...(honest.typedData.types.SafeTx ?? []), { name: "more", type: "uint256" }] };
    assert.throws(
      () => review({ ...honest, typedData: { ...honest.typedData, types } }, context),
      /not what its fields say/,
    );
  });
});
