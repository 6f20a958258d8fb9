import { setImmediate as nextTurn } from "node:timers/promises";
import { encodeAbiParameters, type Hex, hexToBytes, keccak256, parseAbiParameters } from "viem";
import { LEAF_BYTES } from "../frame/frame.ts";
import { keccak } from "../frame/keccak.ts";
import { type Group, groupNumber } from "../groups.ts";

const HASHES_PER_TURN = 4_096;

/** What makes a draw's seed. */
export type SeedInputs = {
  blockHash: Hex;
  campaign: number;
  referenceRoot: Hex;
  interventionRoot: Hex;
  operatorSecret: Hex;
  /** Zero without a second party. */
  partySecret: Hex;
};

const seedTypes = parseAbiParameters("bytes32, uint32, bytes32, bytes32, bytes32, bytes32");

/** Compute a draw's seed as the contract does. */
export function seedOf(draw: SeedInputs): Hex {
  const { blockHash, campaign, referenceRoot, interventionRoot, operatorSecret, partySecret } = draw;
  const words = [blockHash, campaign, referenceRoot, interventionRoot, operatorSecret, partySecret] as const;
  return keccak256(encodeAbiParameters(seedTypes, words));
}

/**
 * Make the function that ranks the leaves of one draw: keccak256(seed ‖ number ‖ leaf), 32 + 1 + 32 bytes. The smallest are drawn.
 * @param number what the draw is of: a group of households (groups.ts), or the devices
 */
export function ranker(seed: Hex, number: number): (leaf: Uint8Array) => Uint8Array {
  const text = new Uint8Array(65);
  text.set(hexToBytes(seed));
  text[32] = number;
  return (leaf) => {
    text.set(leaf, 33);
    return keccak(text);
  };
}

/**
 * Compute the order in which a group's households are drawn: ascending by their ranks.
 * @param leaves the frame's leaves, ascending (frame.ts)
 * @returns for each position from 0, the index of its leaf in `leaves`
 */
export async function drawOrder(seed: Hex, group: Group, leaves: Uint8Array): Promise<Uint32Array> {
  const count = leaves.length / LEAF_BYTES;
  const ranks = new Uint8Array(count * LEAF_BYTES);
  const heads = new Float64Array(count);
  const rankIn = ranker(seed, groupNumber[group]);
  for (let i = 0; i < count; i++) {
    if (i % HASHES_PER_TURN === 0) await nextTurn();
    const rank = Buffer.from(rankIn(leaves.subarray(i * LEAF_BYTES, (i + 1) * LEAF_BYTES)));
    ranks.set(rank, i * LEAF_BYTES);
    // 48 bits decide nearly always, and one comparison covers them.
    heads[i] = rank.readUIntBE(0, 6);
  }
  const rankOf = (i: number) => ranks.subarray(i * LEAF_BYTES, (i + 1) * LEAF_BYTES);
  const inOrder = (a: number, b: number) => (heads[a] ?? 0) - (heads[b] ?? 0) || Buffer.compare(rankOf(a), rankOf(b));
  return Uint32Array.from({ length: count }, (_, i) => i).sort(inOrder);
}
