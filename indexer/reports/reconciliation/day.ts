import { endOf } from "../ask.ts";
import type { ChainState, ViewCall } from "../chain-state.ts";

/** A UTC day between two blocks. */
export type Day = {
  /** Last block before the day; null when the chain began later. */
  opening: bigint | null;
  /** Last block of the day; during the day the index's last block. */
  closing: bigint;
};

/** Range of the day's events in chain order: begin, and exclusive end. */
export const rangeOf = ({ opening, closing }: Day): [from: bigint, before: bigint] => [
  opening === null ? 0n : endOf(opening),
  endOf(closing),
];

/** Read the contracts' views at a block; null if there is no such block. */
export type OpenChain = (block: bigint) => ChainState;

export type Seen = { values: bigint[] } | { values: null; reason: string };

/** Read numbers from the contracts' views before the day's first block, or after its last one. */
export async function seeAt(chain: OpenChain, block: bigint | null, calls: ViewCall[]): Promise<Seen> {
  if (block === null) return { values: null, reason: "The chain begins later." };
  const told = await chain(block).read(calls);
  if (told.answers === null) return { values: null, reason: told.reason };
  return { values: told.answers.map((answer) => BigInt(answer as bigint | number)) };
}
