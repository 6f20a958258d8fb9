import { concat, encodeAbiParameters, type Hex, keccak256, parseAbiParameters, sha256, zeroHash } from "viem";
import type { CampaignGroup } from "../../../../wire/src/ids.ts";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { asHex } from "../../numbers/hex.ts";

type Document = Schemas["DrawDocument"];
type DocumentGroup = Document["groups"]["reference"];
type CheckedGroup = Pick<DocumentGroup, "root" | "size" | "leaves" | "strata"> & {
  sample: Pick<DocumentGroup["sample"][number], "position" | "leaf">[];
  replacements: Pick<DocumentGroup["replacements"][number], "dropped" | "replacement">[];
};
/** The sampling terms that the order of a draw depends on. */
export type SamplingOfDraw = Pick<NonNullable<Schemas["CampaignSampling"]>, "paired" | "strata">;
/** The fields of the API's draw document that the check needs. */
export type DrawDocument = Pick<Document, "campaign" | "sampleSize"> & {
  draw: Pick<NonNullable<Document["draw"]>, "blockHash" | "seed" | "secrets" | "beacon"> | null;
  groups: Record<CampaignGroup, CheckedGroup>;
};

/** A part of the draw that was recalculated, and whether it matches. */
export type DrawFinding = { what: "frame" | "seed" | "sample"; group?: CampaignGroup; holds: boolean };

const groupByte = { reference: "0x00", intervention: "0x01" } as const;

/**
 * Recalculate a draw: both frames' roots, the seed from the block's hash, and the order of households. Undefined before
 * the draw. The signature of a public beacon is taken as stated: `verify-draw` verifies it.
 * @param sampling null where the terms state no sampling
 */
export function checkDraw(
  { campaign, draw, groups, sampleSize }: DrawDocument,
  sampling: SamplingOfDraw | null,
): DrawFinding[] | undefined {
  if (draw === null) return undefined;
  const names = ["reference", "intervention"] as const;
  const { operator, secondParty } = draw.secrets;
  const seed = seedOf({
    blockHash: asHex(draw.blockHash),
    campaign,
    reference: asHex(groups.reference.root),
    intervention: asHex(groups.intervention.root),
    operatorSecret: asHex(operator),
    partySecret: secondParty === null ? zeroHash : asHex(secondParty),
  });
  const orderSeed = withBeacon(seed, draw.beacon);
  return [
    ...names.map((group): DrawFinding => ({ what: "frame", group, holds: frameHolds(groups[group], group, sampling) })),
    { what: "seed", holds: seed === draw.seed },
    ...names.map((group): DrawFinding => {
      const { leaves, sample } = groups[group];
      const byRank = drawnInOrder(orderSeed, sampling?.paired ? "reference" : group, leaves.map(asHex));
      const order = sampling?.strata ? byStratum(byRank, groups[group], sampling.strata) : byRank;
      const holds = sample.length >= sampleSize && sample.every(({ position, leaf }) => order[position] === leaf);
      return { what: "sample", group, holds };
    }),
  ];
}

/** The seed of the order: with the randomness of a beacon, which is the hash of its signature. */
function withBeacon(seed: Hex, beacon: { signature: string | null } | null | undefined): Hex {
  const signature = beacon?.signature ?? null;
  return signature === null ? seed : keccak256(concat([seed, sha256(asHex(signature))]));
}

export type SeedInputs = {
  blockHash: Hex;
  campaign: number;
  /** Roots of the frames. */
  reference: Hex;
  intervention: Hex;
  operatorSecret: Hex;
  /** Zero without a second party. */
  partySecret: Hex;
};

const seedTypes = parseAbiParameters("bytes32, uint32, bytes32, bytes32, bytes32, bytes32");

/** keccak256(abi.encode(block hash, campaign, reference root, intervention root, operator's secret, second party's secret)). */
export function seedOf(inputs: SeedInputs): Hex {
  const { blockHash, campaign, reference, intervention, operatorSecret, partySecret } = inputs;
  const words = [blockHash, campaign, reference, intervention, operatorSecret, partySecret] as const;
  return keccak256(encodeAbiParameters(seedTypes, words));
}

/** Leaves ascending by keccak256(seed ‖ group ‖ leaf). */
export function drawnInOrder(seed: Hex, group: CampaignGroup, leaves: readonly Hex[]): Hex[] {
  const ranked = leaves.map((leaf) => ({ leaf, rank: keccak256(concat([seed, groupByte[group], leaf])) }));
  return ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1)).map(({ leaf }) => leaf);
}

type Strata = NonNullable<SamplingOfDraw["strata"]>;

/** The sample of each stratum in turn, then the replacements, each the next household of the replaced one's stratum. */
function byStratum(order: readonly Hex[], group: CheckedGroup, strata: Strata): (Hex | undefined)[] {
  const indexes = new Map(group.leaves.map((leaf, i) => [asHex(leaf), group.strata?.[i]]));
  const waiting = strata.map((_, index) => order.filter((leaf) => indexes.get(leaf) === index));
  const drawn = strata.flatMap(({ sampleSize }, index) => {
    return Array.from({ length: sampleSize }, () => ({ leaf: waiting[index]?.shift(), index }));
  });
  for (const { dropped } of group.replacements.toSorted((a, b) => a.replacement - b.replacement)) {
    const index = drawn[dropped]?.index ?? -1;
    drawn.push({ leaf: waiting[index]?.shift(), index });
  }
  return drawn.map(({ leaf }) => leaf);
}

function frameHolds(
  { root, size, leaves, strata: indexes }: CheckedGroup,
  group: CampaignGroup,
  sampling: SamplingOfDraw | null,
): boolean {
  const isAscending = leaves.every((leaf, i) => i === 0 || (leaves[i - 1] ?? "") < leaf);
  if (leaves.length !== size || !isAscending) return false;
  const own = frameRoot(leaves.map(asHex));
  // The households of a paired design are committed once more, as the hash of their root.
  if ((sampling?.paired && group === "intervention" ? keccak256(own) : own) !== root) return false;
  return (sampling?.strata ?? []).every(({ frames }, index) => {
    const inStratum = leaves.filter((_, i) => indexes?.[i] === index).map(asHex);
    return inStratum.length === frames[group].size && frameRoot(inStratum) === frames[group].root;
  });
}

/**
 * The root of a complete binary tree over the leaves, which fill the array from its end; each node hashes its children,
 * the smaller first.
 */
export function frameRoot(leaves: readonly Hex[]): Hex {
  const count = leaves.length;
  const nodes: Hex[] = new Array(2 * count - 1);
  for (let i = 0; i < count; i++) nodes[2 * count - 2 - i] = leaves[i] as Hex;
  for (let i = count - 2; i >= 0; i--) {
    const [left, right] = [nodes[2 * i + 1] as Hex, nodes[2 * i + 2] as Hex];
    nodes[i] = keccak256(left <= right ? concat([left, right]) : concat([right, left]));
  }
  return nodes[0] as Hex;
}
