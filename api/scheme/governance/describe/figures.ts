import { type Address, getAddress } from "viem";
import { contractNames } from "../../../../deployments/deployment.ts";
import type { CouncilContext } from "../council-state.ts";

const UINT64_MAX = 2n ** 64n - 1n;
const units: [number, string][] = [
  [86_400, "day"],
  [3_600, "hour"],
  [60, "minute"],
  [1, "second"],
];

/** Format 1234567890 with 6 decimals as "1,234.567890"; `least` decimals are written even when they are zeros. */
export function decimal(value: bigint, decimals: number, least = 0): string {
  const digits = value.toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals).replace(/\B(?=(\d{3})+$)/g, ",");
  const fraction = digits
    .slice(digits.length - decimals)
    .replace(/0+$/, "")
    .padEnd(least, "0");
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

/** Format a price with its six decimals. */
export const price = (value: bigint) => decimal(value, 6, 6);
export const carbon = (micro: bigint) => `${decimal(micro, 6)} CARBON`;
export const tonnes = (value: bigint) => `${decimal(value, 0)} t`;
/** Format an upper bound of 64 bits; the greatest value means no bound. */
export const bound = (micro: bigint) => (micro === UINT64_MAX ? "no bound" : carbon(micro));
export const boundInTonnes = (value: bigint) => (value === UINT64_MAX ? "no bound" : tonnes(value));

/** Format ten-thousandths as per cent: 50 → "0.50 %". */
export const days = (count: number) => `${decimal(BigInt(count), 0)} ${count === 1 ? "day" : "days"}`;
export const share = (tenThousandths: number) => `${decimal(BigInt(tenThousandths), 2, 2)} %`;

/** Format the change in per cent, half a hundredth rounded away from zero: "+5.00 %". */
export function change(from: bigint, to: bigint): string {
  if (from === 0n) return "from nothing";
  const difference = to < from ? from - to : to - from;
  const hundredths = (difference * 20_000n + from) / (from * 2n);
  return `${to < from ? "−" : "+"}${decimal(hundredths, 2, 2)} %`;
}

/** Format whole seconds exactly: 90 061 → "1 day 1 hour 1 minute 1 second". */
export function duration(seconds: bigint): string {
  let left = seconds;
  const parts: string[] = [];
  for (const [size, name] of units) {
    const count = left / BigInt(size);
    left %= BigInt(size);
    if (count > 0n) parts.push(`${decimal(count, 0)} ${name}${count === 1n ? "" : "s"}`);
  }
  return parts.length === 0 ? "0 seconds" : parts.join(" ");
}

/** Format an account: "0xAb… (the pool)", always the whole address, with its name in this deployment if it has one. */
export function account(address: Address, { contracts }: CouncilContext): string {
  const name = contractNames.find((each) => contracts[each].toLowerCase() === address.toLowerCase());
  return name === undefined ? getAddress(address) : `${getAddress(address)} (${contractTitle(name)})`;
}

export function contractTitle(name: string): string {
  return name === "council" ? "the council's Safe" : name === "timelock" ? "the timelock" : `contract ${name}`;
}

/** Quote text from the chain; characters that are not plain and visible are written as code points. */
export function quote(text: string): string {
  return `"${text.replace(/[^\x20-\x7e]|["\\]/gu, (each) => `\\u{${each.codePointAt(0)?.toString(16)}}`)}"`;
}
