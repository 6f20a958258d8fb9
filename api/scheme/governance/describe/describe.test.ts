import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type Abi,
  type Address,
  encodeFunctionData,
  getAddress,
  keccak256,
  maxUint64,
  pad,
  stringToHex,
  zeroAddress,
} from "viem";
import { councilAbi } from "../../../../deployments/abi/council.ts";
import { timelockAbi } from "../../../../deployments/abi/timelock.ts";
import { contractNames, type DeployedContracts } from "../../../../deployments/deployment.ts";
import { abis } from "../../../platform/chain/contracts.ts";
import type { CouncilAction } from "../action-schemas.ts";
import { planAction } from "../actions.ts";
import type { CouncilContext, CouncilState } from "../council-state.ts";
import { type CouncilCall, encodeCancel, encodeSchedule, newOperation, operationId } from "../operations.ts";
import { safeTxOf } from "../safe-tx.ts";
import { describeCall } from "./describe-call.ts";
import { describeDecision } from "./describe-decision.ts";
import { change, decimal, duration, quote } from "./figures.ts";

const addressOf = (number: number): Address => getAddress(pad(`0x${number.toString(16)}`, { size: 20 }));
const contracts = Object.fromEntries(
  contractNames.map((name, i) => [name, addressOf(0x1000 + i)]),
) as DeployedContracts;
const [ann, bob, eve] = [addressOf(1), addressOf(2), addressOf(3)];
const million = 10n ** 12n;
const state: CouncilState = {
  price: 20_000n,
  fee: 0,
  paused: true,
  carbonReserve: 0n,
  stablecoinReserve: 10n * million,
  caps: {
    perTransaction: million,
    perWindow: 10n * million,
    perDay: 10n * million,
    lifetime: maxUint64,
    perSupplierDay: maxUint64,
  },
  stablecoinSymbol: "tUSD",
  operatorCap: 10n * million,
  disputeStake: 10_000_000n,
  itmoDailyCap: 1_000_000n,
  bufferShare: 0,
  bufferHoldDays: 0,
  pinCap: 10_000_000_000n,
  lifecycleCap: million,
  delay: 86_400n,
  owners: [ann, bob],
  threshold: 2n,
  nonce: 7n,
  directory: { Pool: contracts.pool },
};
const context: CouncilContext & { state: CouncilState } = { chainId: 31337, contracts, state, operations: {} };
const all: Record<string, Abi> = { ...abis, timelock: timelockAbi, council: councilAbi } as never;

function call(contract: keyof typeof contracts, functionName: string, args: unknown[]): CouncilCall {
  const data = encodeFunctionData({ abi: all[contract] as Abi, functionName, args });
  return { target: contracts[contract] as Address, value: 0n, data };
}
const words = (action: CouncilAction) =>
  planAction(action, context).calls.map((each) => describeCall(each, context).text);

describe("descriptions of the council's decisions", () => {
  it("say what each action sets, and the value in force", () => {
    const expected: [CouncilAction, string[]][] = [
      [
        { action: "price", price: 19_000n },
        ["Set the pool's price from 0.020000 to 0.019000 tUSD per CARBON (−5.00 %)."],
      ],
      [{ action: "fee", fee: 50 }, ["Set the pool's fee, taken on each side of the price, from 0.00 % to 0.50 %."]],
      [
        { action: "caps", perTransaction: 5n * million, lifetime: 10n * million },
        [
          "Set the pool's caps: one swap from 1,000,000 CARBON to 5,000,000 CARBON; net in an hour 10,000,000 CARBON (as before); " +
            "net in a day 10,000,000 CARBON (as before); net for ever from no bound to 10,000,000 CARBON; " +
            "one supplier's sales in a day no bound (as before).",
        ],
      ],
      [
        { action: "withdraw", token: "stablecoin", to: ann, amount: 1_500_000n },
        [`Pay 1.5 tUSD out of the pool to ${ann}.`],
      ],
      [
        { action: "deposit", token: "carbon", amount: 1n },
        [
          `Transfer 0.000001 CARBON of the caller's own to ${contracts.pool} (contract pool).`,
          "Count into the pool's reserves whatever tokens it has received.",
        ],
      ],
      [{ action: "unpause" }, ["Open the pool for swaps and payments again."]],
      [
        { action: "grant-role", role: "guardian", account: eve },
        [
          `Give the role guardian to ${eve}: it may pause the pool, lower caps and stop scheduled changes immediately.`,
          `Give the timelock's right CANCELLER to ${eve}.`,
        ],
      ],
      [{ action: "revoke-role", role: "operator", account: eve }, [`Take the role operator from ${eve}.`]],
      [
        { action: "operator-cap", amount: 0n },
        ["Set what one operator may pay out in a day from 10,000,000 CARBON to 0 CARBON."],
      ],
      [
        { action: "pin-cap", amount: 5_000_000_000n },
        ["Set what one operator may redeem on PINs in a day from 10,000 CARBON to 5,000 CARBON."],
      ],
      [
        { action: "lifecycle-cap", amount: 0n },
        [
          "Set what one account may cancel and reissue in a day, what all together may sweep, and all operators reverse, " +
            "from 1,000,000 CARBON to 0 CARBON.",
        ],
      ],
      [
        { action: "unconsented-cap", plan: 0, amount: 20_000 },
        [
          "Set what one supplier may redeem in a day without a household's consent under the default plan to 20,000 CARBON.",
        ],
      ],
      [
        { action: "unconsented-cap", plan: 7, amount: 0 },
        ["Set what one supplier may redeem in a day without a household's consent under plan 7 to 0 CARBON."],
      ],
      [
        { action: "waive-debt", supplier: 3, amount: 40_000_000n, reason: "The visit was to another shop" },
        ['Waive up to 40 CARBON of what supplier 3 owes, for the reason "The visit was to another shop".'],
      ],
      [{ action: "cease-consent" }, ["Cease to require the household's signature or code for every redemption."]],
      [{ action: "dispute-stake", amount: 20_000_000n }, ["Set the stake of a dispute from 10 CARBON to 20 CARBON."]],
      [
        { action: "itmo-daily-cap", tonnes: 5 },
        ["Set how many tonnes the registrar may move as ITMOs in a day from 1,000,000 t to 5 t."],
      ],
      [
        { action: "invalidation-buffer", share: 500, days: 365 },
        [
          "Set the share of later conversions that the invalidation buffer holds from 0.00 % to 5.00 %, " +
            "and the holding time from 0 days to 365 days.",
        ],
      ],
      [
        { action: "directory", contracts: { Pool: eve, New: ann } },
        [
          `Name in the directory of contracts in force: "Pool" = ${eve} instead of ${contracts.pool} (contract pool); "New" = ${ann}, a new name.`,
        ],
      ],
      [
        { action: "delay", seconds: 90_000 },
        ["Set the delay between decision and execution from 1 day to 1 day 1 hour."],
      ],
      [
        { action: "add-member", account: eve },
        [`Take ${eve} into the council. From then on 2 of 3 members must approve.`],
      ],
      [{ action: "replace-member", account: bob, by: eve }, [`Put ${eve} in the place of ${bob} in the council.`]],
    ];
    for (const [action, texts] of expected) assert.deepEqual(words(action), texts, action.action);
  });

  it("warn of what cannot be decoded: a foreign contract, another function, extra bytes", () => {
    const good = call("pool", "setPrice", [1n]);
    const strange: CouncilCall[] = [
      { ...good, target: eve },
      { ...good, data: "0x12345678" },
      { ...good, data: `${good.data}00` },
      { ...good, data: "0x" },
    ];
    for (const each of strange) {
      const { text, alarms } = describeCall(each, context);
      assert.match(text, /^UNKNOWN CALL of 0x/);
      assert.ok(text.includes(each.data) && alarms.length === 1);
    }
  });

  it("state every argument of a function that has no description", () => {
    const { text, alarms } = describeCall(call("participants", "setRoleAdmin", [3n, 0n]), context);
    assert.equal(
      text,
      `Call setRoleAdmin(roleId = 3, admin = 0) of contract participants at ${contracts.participants} (contract participants).`,
    );
    assert.deepEqual(alarms, []);
  });

  it("state a coin that is sent along, and warn of power without approvals", () => {
    assert.match(
      describeCall({ ...call("pool", "unpause", []), value: 10n ** 18n }, context).text,
      /sends 1 of the chain's own coin/,
    );
    const alarming = [
      call("participants", "grantRole", [0n, eve, 0]),
      call("timelock", "grantRole", [keccak256(stringToHex("PROPOSER_ROLE")), eve]),
      call("council", "changeThreshold", [1n]),
      call("council", "enableModule", [eve]),
      call("council", "setGuard", [zeroAddress]),
    ];
    for (const each of alarming) assert.equal(describeCall(each, context).alarms.length, 1);
  });

  it("name the operation, its delay, and each call of a batch", () => {
    const operation = newOperation([call("pool", "setFee", [1]), call("pool", "unpause", [])], {
      salt: pad("0x1"),
      delay: 172_800n,
    });
    const tx = safeTxOf({ target: contracts.timelock, value: 0n, data: encodeSchedule(operation) }, 7n);
    const { statement, alarms } = describeDecision(tx, context);
    assert.equal(statement.summary, "Decision 7 of the council on chain 31337: schedule 2 changes, all or none.");
    assert.deepEqual(
      statement.changes.map((text) => text.slice(0, 3)),
      ["1. ", "2. "],
    );
    assert.match(statement.notBefore, /^No earlier than 2 days after enough approvals are on chain\./);
    assert.equal(statement.operationId, operationId(operation));
    assert.deepEqual(alarms, []);
  });

  it("warn of a delegatecall, and of a Safe that pays or may fail unseen", () => {
    const plain = safeTxOf(call("pool", "unpause", []), 7n);
    const delegated = describeDecision({ ...plain, operation: 1 }, context);
    assert.match(delegated.statement.changes.join(), /WARNING: It is a delegatecall.*DELEGATECALL: the code at/);
    const paying = { ...plain, gasPrice: 1n, refundReceiver: eve, safeTxGas: 5n };
    assert.equal(describeDecision(paying, context).alarms.length, 2);
  });

  it("accept a server's content of an operation only if it hashes to its id", () => {
    const real = newOperation([call("pool", "unpause", [])], { salt: pad("0x1"), delay: 86_400n });
    const other = newOperation([call("pool", "setFee", [9])], { salt: pad("0x1"), delay: 86_400n });
    const tx = safeTxOf({ target: contracts.timelock, value: 0n, data: encodeCancel(operationId(real)) }, 7n);
    const said = (told: typeof real) =>
      describeDecision(tx, { ...context, operations: { [operationId(real)]: told } }).statement.changes[0] ?? "";
    assert.match(said(real), /: Open the pool for swaps/);
    assert.match(said(other), /its content is not known here/);
  });

  it("write figures exactly, and foreign text without tricks", () => {
    assert.deepEqual(
      [decimal(1_234_567_890n, 6), decimal(5n, 6), decimal(10n ** 15n, 6)],
      ["1,234.56789", "0.000005", "1,000,000,000"],
    );
    assert.deepEqual(
      [change(3n, 4n), change(20_000n, 20_001n), change(0n, 5n)],
      ["+33.33 %", "+0.01 %", "from nothing"],
    );
    assert.deepEqual(
      [duration(0n), duration(61n), duration(2n * 86_400n)],
      ["0 seconds", "1 minute 1 second", "2 days"],
    );
    assert.equal(quote('a"\u202eb\n'), '"a\\u{22}\\u{202e}b\\u{a}"');
  });
});
