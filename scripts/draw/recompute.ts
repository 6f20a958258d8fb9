import { SimpleMerkleTree } from "@openzeppelin/merkle-tree";
import { concat, type Hex, keccak256, numberToHex, pad, zeroHash } from "viem";

// A second implementation of the draw, separate from the service's and with other libraries, so that one checks the other.

/** Bytes of the groups in the draw's hashes. */
export const groupBytes = { reference: "0x00", intervention: "0x01" } as const;
export type GroupName = keyof typeof groupBytes;
export const groupNames = Object.keys(groupBytes) as GroupName[];

export function frameRootOf(leaves: Hex[]): Hex {
  return SimpleMerkleTree.of(leaves).root as Hex;
}

export type Secrets = { operator: Hex; secondParty: Hex | null };
export type SeedParts = { blockHash: Hex; campaign: number; roots: Record<GroupName, Hex>; secrets: Secrets };

export function seedFrom({ blockHash, campaign, roots, secrets }: SeedParts): Hex {
  const words = concat([
    blockHash,
    numberToHex(campaign, { size: 32 }),
    roots.reference,
    roots.intervention,
    secrets.operator,
    secrets.secondParty ?? zeroHash,
  ]);
  return keccak256(words);
}

/** The hash that commits an account to a secret. */
export function commitmentFrom(secret: Hex, account: Hex): Hex {
  return keccak256(concat([secret, pad(account)]));
}

/** Items in the order in which they are drawn: by keccak256(seed ‖ byte ‖ leaf), the smallest first. */
export function inDrawOrder<T extends { leaf: string }>(seed: Hex, byte: Hex, items: readonly T[]): T[] {
  const ranked = items.map((item) => ({ item, rank: keccak256(concat([seed, byte, item.leaf as Hex])) }));
  return ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1)).map(({ item }) => item);
}

/** The leaves of a group in the order in which they are drawn. */
export function drawnInOrder(seed: Hex, group: GroupName, leaves: readonly Hex[]): Hex[] {
  const items = leaves.map((leaf) => ({ leaf }));
  return inDrawOrder(seed, groupBytes[group], items).map(({ leaf }) => leaf);
}
