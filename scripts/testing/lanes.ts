import { availableParallelism } from "node:os";

const gigabyte = 1024 ** 3;

/** Two more processes than processors, as tests wait for blocks and other programs; at most what memory allows. */
const usual = () =>
  Math.min(availableParallelism() + 2, 4, Math.max(2, Math.floor(process.availableMemory() / (3 * gigabyte))));

/**
 * How many processes of tests run at a time.
 * @param asked value of `--lanes`; default: what suits this machine
 * @throws when it is not a whole number from 1 to 64
 */
export function lanesOf(asked?: string): number {
  if (asked === undefined) return usual();
  const lanes = Number(asked);
  if (!/^\d+$/.test(asked) || lanes < 1 || lanes > 64)
    throw new Error(`--lanes: "${asked}" is not a whole number from 1 to 64.`);
  return lanes;
}
