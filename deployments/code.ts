import { type Address, type Hex, hexToBytes, keccak256, toHex } from "viem";
import { contractCode } from "./abi/code.ts";
import type { DeployedContracts } from "./deployment.ts";

/** Our own contracts, whose code this version knows. */
export type KnownContract = keyof typeof contractCode;
const known = Object.keys(contractCode) as KnownContract[];

/** What tells one build of a contract from another. */
export type CodePrint = {
  /** Of the code without the compiler's metadata at its end, and with zeros where immutables are filled in. */
  hash: Hex;
  /** Where each of those 32-byte words begins. */
  immutables: readonly number[];
  /** Functions and events by name, with the selector or topic that the code must contain. */
  answers: Readonly<Record<string, Hex>>;
};

/** Of a deployment's contracts: those with other code than this version's, and what of its interface they lack. */
export type CodeReport = { differing: KnownContract[]; lacking: Partial<Record<KnownContract, string[]>> };

/** Hash code as `CodePrint.hash` says. */
export function hashCode(code: Hex, immutables: readonly number[]): Hex {
  const bytes = hexToBytes(code);
  const metadata = bytes.length > 2 ? ((bytes.at(-2) ?? 0) << 8) + (bytes.at(-1) ?? 0) + 2 : 0;
  const end = Math.max(bytes.length - metadata, 0);
  for (const start of immutables) bytes.fill(0, Math.min(start, end), Math.min(start + 32, end));
  return keccak256(bytes.subarray(0, end));
}

/** Whether code pushes a selector or topic; the compiler leaves out a number's leading zeros. */
export function pushes(code: Hex, value: Hex): boolean {
  const digits = value.slice(2).replace(/^(00)+/, "");
  const push = toHex(0x5f + digits.length / 2).slice(2);
  return code.includes(push + digits);
}

/** Compare the code at a deployment's addresses with this version's; an address without code is skipped. */
export async function inspectCode(
  getCode: (address: Address) => Promise<Hex | undefined>,
  contracts: Partial<DeployedContracts>,
): Promise<CodeReport> {
  const report: CodeReport = { differing: [], lacking: {} };
  const inspect = async (name: KnownContract) => {
    const address = contracts[name];
    const code = address === undefined ? undefined : await getCode(address);
    const print: CodePrint = contractCode[name];
    if (code === undefined || code === "0x" || hashCode(code, print.immutables) === print.hash) return;
    report.differing.push(name);
    const lacking = Object.entries(print.answers).filter(([, value]) => !pushes(code, value));
    if (lacking.length > 0) report.lacking[name] = lacking.map(([what]) => what);
  };
  await Promise.all(known.map(inspect));
  report.differing.sort();
  return report;
}

/** What the contracts lack of this version's interface, in words: "pool (buyCarbonFor, quoteBuyFor)"; undefined for nothing. */
export function describeLacking({ lacking }: CodeReport): string | undefined {
  const parts = Object.entries(lacking).map(([name, what]) => `${name} (${shortened(what)})`);
  return parts.length === 0 ? undefined : parts.sort().join(", ");
}

const shortened = (names: readonly string[]) =>
  names.length > 4 ? `${names.slice(0, 3).join(", ")} and ${names.length - 3} more` : names.join(", ");
