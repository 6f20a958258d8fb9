import { type Abi, type AbiFunction, decodeFunctionData, encodeFunctionData, type Hex, toFunctionSelector } from "viem";
import { councilAbi } from "../../../../deployments/abi/council.ts";
import { timelockAbi } from "../../../../deployments/abi/timelock.ts";
import { abis } from "../../../platform/chain/index.ts";
import type { CouncilContext } from "../council-state.ts";
import type { CouncilCall } from "../operations.ts";
import { account, contractTitle, decimal, quote } from "./figures.ts";
import { phrases } from "./phrases.ts";

/** Description of a call; `alarms` are warnings that every signer should see. */
export type Description = { text: string; alarms: string[] };
export type DecodedCall = { contract: string; functionName: string; args: readonly unknown[] };

const knownAbis: Record<string, Abi> = { ...abis, timelock: timelockAbi, council: councilAbi };

/** Decode a call to a known function; undefined unless encoding it again gives the same bytes. */
export function decodeCall({ target, data }: CouncilCall, { contracts }: CouncilContext): DecodedCall | undefined {
  const names = Object.keys(knownAbis) as (keyof typeof contracts)[];
  const contract = names.find((name) => contracts[name]?.toLowerCase() === target.toLowerCase());
  const abi = contract && knownAbis[contract]?.filter(({ type }) => type === "function");
  if (contract === undefined || abi === undefined) return undefined;
  try {
    const { functionName, args = [] } = decodeFunctionData({ abi, data });
    const again = encodeFunctionData({ abi: [functionOf(abi, data)], functionName, args });
    return again === data.toLowerCase() ? { contract, functionName, args } : undefined;
  } catch {
    return undefined;
  }
}

function functionOf(abi: Abi, data: Hex): AbiFunction {
  const found = abi.find((item) => item.type === "function" && toFunctionSelector(item) === data.slice(0, 10));
  if (found?.type !== "function") throw new Error("No function has this selector.");
  return found;
}

/** Describe exactly and completely what a call does; a call that cannot be decoded gets a warning. */
export function describeCall(call: CouncilCall, context: CouncilContext): Description {
  const decoded = decodeCall(call, context);
  if (decoded === undefined) {
    const text =
      `UNKNOWN CALL of ${account(call.target, context)} with the bytes ${call.data}: ` +
      "nobody can say what it does. Do not sign it.";
    return withValue(call, { text, alarms: ["It makes a call that cannot be read."] });
  }
  const phrase = phrases[`${decoded.contract}.${decoded.functionName}`];
  if (phrase !== undefined) return withValue(call, phrase(decoded.args, context));
  return withValue(call, { text: plainly(decoded, call, context), alarms: [] });
}

function withValue({ value }: CouncilCall, { text, alarms }: Description): Description {
  if (value === 0n) return { text, alarms };
  const more = `And it sends ${decimal(value, 18)} of the chain's own coin along.`;
  return { text: `${text} ${more}`, alarms: [...alarms, more] };
}

/** Describe a function without a phrase by its name and arguments. */
function plainly({ contract, functionName, args }: DecodedCall, call: CouncilCall, context: CouncilContext): string {
  const { inputs } = functionOf(knownAbis[contract] ?? [], call.data);
  const list = inputs.map(({ name }, i) => `${name || `argument ${i + 1}`} = ${show(args[i])}`);
  return `Call ${functionName}(${list.join(", ")}) of ${contractTitle(contract)} at ${account(call.target, context)}.`;
}

function show(value: unknown): string {
  if (typeof value === "string") return value.startsWith("0x") && /^0x[0-9a-fA-F]*$/.test(value) ? value : quote(value);
  if (Array.isArray(value)) return `[${value.map(show).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    return `{${Object.entries(value)
      .map(([name, each]) => `${name}: ${show(each)}`)
      .join(", ")}}`;
  }
  return String(value);
}
