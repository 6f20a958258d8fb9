import { type Address, type Hex, isAddressEqual, keccak256, pad, stringToHex, zeroAddress } from "viem";
import { roleNumbers } from "../../../../deployments/role-numbers.ts";
import { type Caps, type CouncilContext, directoryName } from "../council-state.ts";
import * as figures from "./figures.ts";

const { account } = figures;

/** Describes one function; `args` are all decoded arguments. */
type Phrase = (args: readonly unknown[], context: CouncilContext) => { text: string; alarms: string[] };

const calm = (text: string) => ({ text, alarms: [] });

/** Format "from 1 to 2", or "to 2" when the earlier value is unknown. */
function fromTo<T>(before: T | undefined, after: T, show: (value: T) => string): string {
  return before === undefined ? `to ${show(after)}` : `from ${show(before)} to ${show(after)}`;
}

/** The token's contract chooses the symbol, so only plain characters are shown. */
const symbolOf = ({ state, symbol = "stablecoin" }: CouncilContext) =>
  (state?.stablecoinSymbol ?? symbol).replace(/[^\w.-]/g, "?").slice(0, 16);

/** Format an amount of a token: in base units for tokens that the pool does not know. */
function amountOf(token: Address, amount: bigint, context: CouncilContext): string {
  const { contracts } = context;
  if (isAddressEqual(token, contracts.carbon)) return figures.carbon(amount);
  if (isAddressEqual(token, contracts.stablecoin)) return `${figures.decimal(amount, 6)} ${symbolOf(context)}`;
  return `${figures.decimal(amount, 0)} base units of the token ${account(token, context)}`;
}

const capTitles: [keyof Caps, string][] = [
  ["perTransaction", "one swap"],
  ["perWindow", "net in an hour"],
  ["perDay", "net in a day"],
  ["lifetime", "net for ever"],
  ["perSupplierDay", "one supplier's sales in a day"],
];

function capsText(caps: Caps, { state }: CouncilContext): string {
  const parts = capTitles.map(([name, title]) => {
    const before = state?.caps[name];
    if (before === caps[name]) return `${title} ${figures.bound(caps[name])} (as before)`;
    return `${title} ${fromTo(before, caps[name], figures.bound)}`;
  });
  return `Set the pool's caps: ${parts.join("; ")}.`;
}

const mays: Record<string, string> = {
  council: "set prices, fees and caps, move the treasury and give roles IMMEDIATELY, without approvals and delay",
  guardian: "pause the pool, lower caps and stop scheduled changes immediately",
  registrar: "register certificates, implementers and suppliers, and record transfers, uses and cancellations of ITMOs",
  operator: "issue vouchers, redeem, and pay out verified claims up to its daily cap",
  evaluator: "flag, approve, reject and resolve claims",
  ledger: "tell what every redemption must know, as the voucher ledger does",
  converter: "take lots of CARBON for conversions into ITMOs, as the ITMO contract does",
};
const roleName = (role: bigint) => Object.entries(roleNumbers).find(([, number]) => number === role)?.[0];

const timelockRoles: Record<Hex, string> = {
  [pad("0x")]: "ADMIN",
  [keccak256(stringToHex("PROPOSER_ROLE"))]: "PROPOSER",
  [keccak256(stringToHex("EXECUTOR_ROLE"))]: "EXECUTOR",
  [keccak256(stringToHex("CANCELLER_ROLE"))]: "CANCELLER",
};

function grantText([role, holder, delay]: readonly unknown[], context: CouncilContext) {
  const name = roleName(role as bigint);
  const title = name === undefined ? `number ${role}, which no contract asks for` : name;
  const may = name === undefined ? "" : `: it may ${mays[name]}`;
  const late =
    Number(delay) === 0 ? "" : ` With an execution delay of ${delay} seconds, so that it does not count as a member.`;
  const text = `Give the role ${title} to ${account(holder as Address, context)}${may}.${late}`;
  const alarms = name === "council" ? ["It gives an account the council's power, without approvals and delay."] : [];
  return { text, alarms };
}

function timelockRole(verb: "Give" | "Take", [role, holder]: readonly unknown[], context: CouncilContext) {
  const name = timelockRoles[role as Hex] ?? String(role);
  const who = isAddressEqual(holder as Address, zeroAddress) ? "everybody" : account(holder as Address, context);
  const text = `${verb} the timelock's right ${name} ${verb === "Give" ? "to" : "from"} ${who}.`;
  const graver = verb === "Give" && (name === "ADMIN" || name === "PROPOSER");
  return { text, alarms: graver ? [`It gives an account other than the council the timelock's right ${name}.`] : [] };
}

function directoryText([names, targets]: readonly unknown[], context: CouncilContext): string {
  const known = context.state?.directory;
  const parts = (names as Hex[]).map((name, i) => {
    const title = directoryName(name);
    const target = (targets as Address[])[i] ?? zeroAddress;
    const before = known?.[title];
    const was =
      known === undefined ? "" : before === undefined ? ", a new name" : ` instead of ${account(before, context)}`;
    return `${figures.quote(title)} = ${account(target, context)}${was}`;
  });
  return `Name in the directory of contracts in force: ${parts.join("; ")}.`;
}

function membersAfter(threshold: unknown, members: bigint | undefined): string {
  const of = members === undefined ? "" : ` of ${members}`;
  return `From then on ${threshold}${of} members must approve.`;
}

const count = ({ state }: CouncilContext, more: bigint) => state && BigInt(state.owners.length) + more;
const single = (threshold: unknown) =>
  (threshold as bigint) < 2n ? ["One member alone could then decide for the council."] : [];

/** Functions that the council is meant to call, by "contract.function". */
export const phrases: Record<string, Phrase> = {
  "pool.setPrice": ([value], context) => {
    const [before, after] = [context.state?.price, value as bigint];
    const by = before === undefined ? "" : ` (${figures.change(before, after)})`;
    return calm(`Set the pool's price ${fromTo(before, after, figures.price)} ${symbolOf(context)} per CARBON${by}.`);
  },
  "pool.setFee": ([fee], { state }) =>
    calm(`Set the pool's fee, taken on each side of the price, ${fromTo(state?.fee, fee as number, figures.share)}.`),
  "pool.setCaps": ([caps], context) => calm(capsText(caps as Caps, context)),
  "pool.unpause": (_args, { state }) =>
    calm(`Open the pool for swaps and payments again${state?.paused === false ? " (it is open now)" : ""}.`),
  "pool.withdraw": ([token, to, amount], context) =>
    calm(
      `Pay ${amountOf(token as Address, amount as bigint, context)} out of the pool to ${account(to as Address, context)}.`,
    ),
  "pool.takeIn": () => calm("Count into the pool's reserves whatever tokens it has received."),
  "carbon.transfer": (args, context) => transfer("carbon", args, context),
  "stablecoin.transfer": (args, context) => transfer("stablecoin", args, context),
  "participants.grantRole": (args, context) => grantText(args, context),
  "participants.revokeRole": ([role, holder], context) =>
    calm(`Take the role ${roleName(role as bigint) ?? `number ${role}`} from ${account(holder as Address, context)}.`),
  "claims.setOperatorCap": ([cap], { state }) =>
    calm(`Set what one operator may pay out in a day ${fromTo(state?.operatorCap, cap as bigint, figures.bound)}.`),
  "vouchers.setPinCap": ([cap], { state }) =>
    calm(`Set what one operator may redeem on PINs in a day ${fromTo(state?.pinCap, cap as bigint, figures.bound)}.`),
  "vouchers.setLifecycleCap": ([cap], { state }) =>
    calm(
      "Set what one account may cancel and reissue in a day, what all together may sweep, and all operators reverse, " +
        `${fromTo(state?.lifecycleCap, cap as bigint, figures.bound)}.`,
    ),
  "participants.setUnconsentedCap": ([plan, cap]) => {
    const amount = `${figures.decimal(BigInt(cap as number), 0)} CARBON`;
    const title = plan === 0 ? "the default plan" : `plan ${plan}`;
    return calm(`Set what one supplier may redeem in a day without a household's consent under ${title} to ${amount}.`);
  },
  "claims.waiveDebt": ([supplier, amount, reason]) =>
    calm(
      `Waive up to ${figures.carbon(amount as bigint)} of what supplier ${supplier} owes, for the reason ` +
        `${figures.quote(reason as string)}.`,
    ),
  "vouchers.setHouseholdAuthorizationRequired": ([required]) =>
    calm(`${required ? "Require" : "Cease to require"} the household's signature or code for every redemption.`),
  "claims.setDisputeStake": ([stake], { state }) =>
    calm(`Set the stake of a dispute ${fromTo(state?.disputeStake, stake as bigint, figures.carbon)}.`),
  "itmo.setDailyCap": ([cap], { state }) =>
    calm(
      `Set how many tonnes the registrar may move as ITMOs in a day ${fromTo(state?.itmoDailyCap, cap as bigint, figures.boundInTonnes)}.`,
    ),
  "invalidationBuffer.setTerms": ([share, days], { state }) =>
    calm(
      `Set the share of later conversions that the invalidation buffer holds ${fromTo(state?.bufferShare, share as number, figures.share)}, ` +
        `and the holding time ${fromTo(state?.bufferHoldDays, days as number, figures.days)}.`,
    ),
  "directory.setContracts": (args, context) => calm(directoryText(args, context)),
  "timelock.updateDelay": ([delay], { state }) =>
    calm(`Set the delay between decision and execution ${fromTo(state?.delay, delay as bigint, figures.duration)}.`),
  "timelock.grantRole": (args, context) => timelockRole("Give", args, context),
  "timelock.revokeRole": (args, context) => timelockRole("Take", args, context),
  "council.addOwnerWithThreshold": ([member, threshold], context) => ({
    text: `Take ${account(member as Address, context)} into the council. ${membersAfter(threshold, count(context, 1n))}`,
    alarms: single(threshold),
  }),
  "council.removeOwner": ([, member, threshold], context) => ({
    text: `Remove ${account(member as Address, context)} from the council. ${membersAfter(threshold, count(context, -1n))}`,
    alarms: single(threshold),
  }),
  "council.swapOwner": ([, member, by], context) =>
    calm(
      `Put ${account(by as Address, context)} in the place of ${account(member as Address, context)} in the council.`,
    ),
  "council.changeThreshold": ([threshold], context) => ({
    text: membersAfter(threshold, count(context, 0n)),
    alarms: single(threshold),
  }),
  "council.setGuard": ([guard], context) => ({
    text: `Put ${account(guard as Address, context)} in the place of the guard that keeps the council's Safe from delegatecalls.`,
    alarms: ["It changes what keeps the council's Safe from delegatecalls."],
  }),
  "council.enableModule": ([module], context) => ({
    text: `Let ${account(module as Address, context)} act as the council, without any approval.`,
    alarms: ["It lets a contract act as the council without any approval."],
  }),
};

function transfer(token: "carbon" | "stablecoin", [to, amount]: readonly unknown[], context: CouncilContext) {
  const what = amountOf(context.contracts[token], amount as bigint, context);
  return calm(`Transfer ${what} of the caller's own to ${account(to as Address, context)}.`);
}
