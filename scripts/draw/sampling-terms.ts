import { type Hex, keccak256 } from "viem";
import { z } from "zod";
import { type BeaconTerms, beaconTerms } from "../../api/scheme/campaigns/beacon/terms.ts";
import { frameRootOf, type GroupName } from "./recompute.ts";

const phase = z.object({ startDate: z.string(), endDate: z.string() });

const frame = z.object({ root: z.string(), size: z.number().int() });
const stratum = z.object({
  id: z.string(),
  sampleSize: z.number().int().min(1),
  frames: z.object({ reference: frame, intervention: frame }),
});
export type StratumOfTerms = z.infer<typeof stratum>;

/** The parts of a campaign's terms that say how its sample is drawn. */
const samplingTerms = z.object({
  sampling: z
    .object({
      profile: z.string(),
      secondParty: z.string().optional(),
      paired: z.object({ before: phase, after: phase }).optional(),
      strata: z.array(stratum).optional(),
    })
    .optional(),
});
export type SamplingOfTerms = NonNullable<z.infer<typeof samplingTerms>["sampling"]>;

/** Read them from the terms' JSON; undefined where they state none. */
export function samplingOfTerms(text: string | undefined): SamplingOfTerms | undefined {
  try {
    return samplingTerms.parse(JSON.parse(text ?? "{}")).sampling;
  } catch {
    return undefined;
  }
}

/** Read the public beacon that the terms commit; undefined for none. */
export function beaconOfTerms(text: string | undefined): BeaconTerms | undefined {
  try {
    return z.object({ beacon: beaconTerms.optional() }).parse(JSON.parse(text ?? "{}")).beacon;
  } catch {
    return undefined;
  }
}

/** The root that leaves make for a group; a paired design commits the hash of the root for the households after. */
export function committedRootOf(leaves: Hex[], group: GroupName, sampling: SamplingOfTerms | undefined): Hex {
  const root = frameRootOf(leaves);
  return sampling?.paired !== undefined && group === "intervention" ? keccak256(root) : root;
}

/** List the strata whose households do not make the root that the terms commit, and households without a stratum. */
export function strataFaults(
  { leaves, indexes = [] }: { leaves: readonly string[]; indexes?: readonly number[] | undefined },
  strata: readonly StratumOfTerms[],
  group: GroupName,
): string[] {
  const faults: string[] = [];
  const lost = leaves.filter((_, i) => strata[indexes[i] ?? -1] === undefined).length;
  if (lost > 0) faults.push(`${lost} households of the ${group} frame are in no stratum.`);
  for (const [index, { id, frames }] of strata.entries()) {
    const { root, size } = frames[group];
    const own = leaves.filter((_, i) => indexes[i] === index) as Hex[];
    const made = own.length === 0 ? "none" : frameRootOf(own);
    if (made === root && own.length === size) continue;
    faults.push(
      `The ${own.length} households of stratum ${id} in the ${group} frame make the root ${made}; ${size} with ${root} were committed.`,
    );
  }
  return faults;
}

/** The group whose order a group is drawn in: a paired design has one order, so that a position is one household in both. */
export function orderGroupOf(group: GroupName, sampling: SamplingOfTerms | undefined): GroupName {
  return sampling?.paired === undefined ? group : "reference";
}
