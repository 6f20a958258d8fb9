import { SimpleMerkleTree } from "@openzeppelin/merkle-tree";
import { concat, encodeAbiParameters, type Hex, keccak256, parseAbiParameters } from "viem";

// A second implementation of the draw, separate from the service's and with other libraries, so that one checks the other.

/** Bytes of the groups in the draw's hashes. */
export const groupBytes = { reference: "0x00", intervention: "0x01" } as const;
export type GroupName = keyof typeof groupBytes;
export const groupNames = Object.keys(groupBytes) as GroupName[];

export function frameRootOf(leaves: Hex[]): Hex {
  return SimpleMerkleTree.of(leaves).root as Hex;
}

export function seedFrom(blockHash: Hex, campaign: number, referenceRoot: Hex, interventionRoot: Hex): Hex {
  const types = parseAbiParameters("bytes32, uint32, bytes32, bytes32");
  return keccak256(encodeAbiParameters(types, [blockHash, campaign, referenceRoot, interventionRoot]));
}

/** The leaves in the order in which they are drawn. */
export function drawnInOrder(seed: Hex, group: GroupName, leaves: Hex[]): Hex[] {
  const ranked = leaves.map((leaf) => ({ leaf, rank: keccak256(concat([seed, groupBytes[group], leaf])) }));
  return ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1)).map(({ leaf }) => leaf);
}
