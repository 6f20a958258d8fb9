import { SimpleMerkleTree } from "@openzeppelin/merkle-tree";
import { concat, type Hex, keccak256, numberToHex, pad, sha256, zeroHash } from "viem";

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

/** The seed of the order: the contract's, or its hash with the randomness of a beacon, which is the hash of its signature. */
export function orderSeedFrom(seed: Hex, beacon: { signature: string | null } | undefined): Hex | null {
  if (beacon === undefined) return seed;
  return beacon.signature === null ? null : keccak256(concat([seed, sha256(beacon.signature as Hex)]));
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

/** Input of a stratified draw of a group. */
export type StratifiedDraw = {
  /** Households that each stratum draws. */
  sizes: readonly number[];
  /** Index of the stratum of each leaf. */
  stratumOf: ReadonlyMap<string, number>;
  /** Replaced positions in the order of their replacements. */
  dropped: readonly number[];
};

/**
 * Draw the households of a group with strata: first the sample of each stratum in turn, then the replacements, each the next
 * household of the replaced position's stratum. Null at a position whose stratum has no household left.
 */
export function drawnFromStrata(
  order: readonly Hex[],
  { sizes, stratumOf, dropped }: StratifiedDraw,
): { leaf: Hex | null; stratum: number }[] {
  const waiting = sizes.map((_, index) => order.filter((leaf) => stratumOf.get(leaf) === index).reverse());
  const take = (stratum: number) => ({ leaf: waiting[stratum]?.pop() ?? null, stratum });
  const drawn = sizes.flatMap((size, index) => Array.from({ length: size }, () => take(index)));
  for (const position of dropped) drawn.push(take(drawn[position]?.stratum ?? -1));
  return drawn;
}

/** The leaves of a group in the order in which they are drawn. */
export function drawnInOrder(seed: Hex, group: GroupName, leaves: readonly Hex[]): Hex[] {
  const items = leaves.map((leaf) => ({ leaf }));
  return inDrawOrder(seed, groupBytes[group], items).map(({ leaf }) => leaf);
}
