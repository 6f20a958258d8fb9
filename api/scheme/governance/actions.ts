import {
  type Abi,
  type Address,
  encodeFunctionData,
  getAddress,
  type Hex,
  isAddressEqual,
  keccak256,
  pad,
  stringToHex,
} from "viem";
import { councilAbi } from "../../../deployments/abi/council.ts";
import { timelockAbi } from "../../../deployments/abi/timelock.ts";
import { roleNumbers } from "../../../deployments/role-numbers.ts";
import { abis } from "../../platform/chain/index.ts";
import type { RuleDetail } from "../../platform/errors.ts";
import type { CouncilAction, DelayedAction, DirectAction } from "./action-schemas.ts";
import type { CouncilContext, CouncilState } from "./council-state.ts";
import { type CouncilCall, encodeCancel, encodeExecute } from "./operations.ts";

/**
 * The calls of an action. `operation`: calls by the timelock, after the delay. `direct`: one call by the Safe itself.
 */
export type Plan = { kind: "operation" | "direct"; calls: CouncilCall[]; problems: RuleDetail[] };
type Now = CouncilContext & { state: CouncilState };

const UINT64_MAX = 2n ** 64n - 1n;
/** Precedes the first owner in a Safe's list. */
const SENTINEL: Address = "0x0000000000000000000000000000000000000001";
const EXECUTOR = keccak256(stringToHex("EXECUTOR_ROLE"));
const CANCELLER = keccak256(stringToHex("CANCELLER_ROLE"));
const allAbis = { ...abis, timelock: timelockAbi, council: councilAbi };

/** Build the calls of an action, and list every rule that it breaks in the current state. */
export function planAction(input: CouncilAction, now: Now): Plan {
  switch (input.action) {
    case "add-member":
    case "remove-member":
    case "replace-member":
    case "threshold":
      return planMembership(input, now);
    case "cancel":
    case "execute":
      return planNamed(input, now);
    case "batch": {
      const plans = input.actions.map((each) => planDelayed(each, now));
      return {
        kind: "operation",
        calls: plans.flatMap((each) => each.calls),
        problems: plans.flatMap((each) => each.problems),
      };
    }
    default:
      return { kind: "operation", ...planDelayed(input, now) };
  }
}

type Calls = Pick<Plan, "calls" | "problems">;

function callOf(
  now: Now,
  contract: keyof typeof allAbis,
  functionName: string,
  args: readonly unknown[] = [],
): CouncilCall {
  const data = encodeFunctionData({ abi: allAbis[contract] as Abi, functionName, args });
  return { target: now.contracts[contract], value: 0n, data };
}

function planDelayed(input: DelayedAction, now: Now): Calls {
  const { contracts, state } = now;
  const does = (...calls: CouncilCall[]): Calls => ({ calls, problems: [] });
  switch (input.action) {
    case "price":
      return does(callOf(now, "pool", "setPrice", [input.price]));
    case "fee":
      return does(callOf(now, "pool", "setFee", [input.fee]));
    case "caps": {
      const { action: _, ...given } = input;
      const asked = Object.entries(given).filter(([, value]) => value !== undefined);
      const caps = { ...state.caps, ...Object.fromEntries(asked.map(([name, value]) => [name, value ?? UINT64_MAX])) };
      const problems = asked.length > 0 ? [] : [problem("caps-named", "Name at least one cap.")];
      return { calls: [callOf(now, "pool", "setCaps", [caps])], problems };
    }
    case "withdraw":
      return does(callOf(now, "pool", "withdraw", [contracts[input.token], getAddress(input.to), input.amount]));
    case "deposit":
      return does(callOf(now, input.token, "transfer", [contracts.pool, input.amount]), callOf(now, "pool", "takeIn"));
    case "unpause":
      return does(callOf(now, "pool", "unpause"));
    case "grant-role":
    case "revoke-role":
      return does(...roleCalls(input, now));
    case "operator-cap":
      return does(callOf(now, "claims", "setOperatorCap", [input.amount]));
    case "pin-cap":
      return does(callOf(now, "vouchers", "setPinCap", [input.amount]));
    case "lifecycle-cap":
      return does(callOf(now, "vouchers", "setLifecycleCap", [input.amount]));
    case "unconsented-cap":
      return does(callOf(now, "participants", "setUnconsentedCap", [input.plan, input.amount]));
    case "waive-debt":
      return does(callOf(now, "claims", "waiveDebt", [input.supplier, input.amount, input.reason]));
    case "cease-consent":
      return does(callOf(now, "vouchers", "setHouseholdAuthorizationRequired", [false]));
    case "dispute-stake":
      return does(callOf(now, "claims", "setDisputeStake", [input.amount]));
    case "itmo-daily-cap":
      return does(callOf(now, "itmo", "setDailyCap", [BigInt(input.tonnes)]));
    case "invalidation-buffer": {
      const isWhole = (input.share === 0) === (input.days === 0);
      const problems = isWhole ? [] : [problem("buffer-terms", "Share and days are both 0, or neither is.")];
      return { calls: [callOf(now, "invalidationBuffer", "setTerms", [input.share, input.days])], problems };
    }
    case "directory": {
      const names = Object.keys(input.contracts).map((name) => pad(stringToHex(name), { dir: "right" }));
      return does(
        callOf(now, "directory", "setContracts", [names, Object.values(input.contracts).map((a) => getAddress(a))]),
      );
    }
    case "delay":
      return does(callOf(now, "timelock", "updateDelay", [BigInt(input.seconds)]));
  }
}

function roleCalls({ action, role, account }: Extract<DelayedAction, { role: string }>, now: Now): CouncilCall[] {
  const holder = getAddress(account);
  const grants = action === "grant-role";
  const verb = grants ? "grantRole" : "revokeRole";
  if (role === "executor") return [callOf(now, "timelock", verb, [EXECUTOR, holder])];
  const more = grants ? [0] : [];
  const call = callOf(now, "participants", verb, [roleNumbers[role], holder, ...more]);
  return role === "guardian" ? [call, callOf(now, "timelock", verb, [CANCELLER, holder])] : [call];
}

type Membership = Extract<DirectAction, { action: `${string}-member` | "threshold" }>;

function planMembership(input: Membership, now: Now): Plan {
  const { owners } = now.state;
  const isMember = (account: Address) => owners.some((owner) => isAddressEqual(owner, account));
  const before = (account: Address) => {
    const place = owners.findIndex((owner) => isAddressEqual(owner, account));
    return place > 0 ? (owners[place - 1] ?? SENTINEL) : SENTINEL;
  };
  const threshold = BigInt(("threshold" in input ? input.threshold : undefined) ?? now.state.threshold);
  const members = owners.length + (input.action === "add-member" ? 1 : input.action === "remove-member" ? -1 : 0);
  const problems: RuleDetail[] = [];
  if (threshold < 2n || threshold > members) {
    problems.push(
      problem(
        "quorum",
        `Of ${members} members, at least 2 must approve and at most all, not ${threshold}.`,
        "threshold",
      ),
    );
  }
  if ("account" in input && isMember(input.account) === (input.action === "add-member")) {
    const is = input.action === "add-member" ? "is a member already" : "is not a member of the council";
    problems.push(problem("member", `${input.account} ${is}.`, "account"));
  }
  if (input.action === "replace-member" && isMember(input.by))
    problems.push(problem("member", `${input.by} is a member already.`, "by"));
  const call = (functionName: string, args: unknown[]): Plan => ({
    kind: "direct",
    calls: [callOf(now, "council", functionName, args)],
    problems,
  });
  switch (input.action) {
    case "add-member":
      return call("addOwnerWithThreshold", [getAddress(input.account), threshold]);
    case "remove-member":
      return call("removeOwner", [before(input.account), getAddress(input.account), threshold]);
    case "replace-member":
      return call("swapOwner", [before(input.account), getAddress(input.account), getAddress(input.by)]);
    default:
      return call("changeThreshold", [threshold]);
  }
}

function planNamed(
  { action, operationId }: Extract<DirectAction, { operationId: Hex }>,
  { contracts, operations }: Now,
): Plan {
  const operation = operations[operationId];
  const target = contracts.timelock;
  if (operation === undefined) {
    const message = "There is no scheduled operation with this id.";
    return { kind: "direct", calls: [], problems: [problem("operation-scheduled", message, "operationId")] };
  }
  const data = action === "cancel" ? encodeCancel(operationId) : encodeExecute(operation);
  return { kind: "direct", calls: [{ target, value: 0n, data }], problems: [] };
}

function problem(rule: string, message: string, path?: string): RuleDetail {
  return path === undefined ? { rule, message } : { path, rule, message };
}
