import { type Hex, keccak256 } from "viem";
import { z } from "zod";
import { frameRootOf, type GroupName } from "./recompute.ts";

const phase = z.object({ startDate: z.string(), endDate: z.string() });

/** The parts of a campaign's terms that say how its sample is drawn. */
const samplingTerms = z.object({
  sampling: z
    .object({
      profile: z.string(),
      secondParty: z.string().optional(),
      paired: z.object({ before: phase, after: phase }).optional(),
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

/** The root that leaves make for a group; a paired design commits the hash of the root for the households after. */
export function committedRootOf(leaves: Hex[], group: GroupName, sampling: SamplingOfTerms | undefined): Hex {
  const root = frameRootOf(leaves);
  return sampling?.paired !== undefined && group === "intervention" ? keccak256(root) : root;
}

/** The group whose order a group is drawn in: a paired design has one order, so that a position is one household in both. */
export function orderGroupOf(group: GroupName, sampling: SamplingOfTerms | undefined): GroupName {
  return sampling?.paired === undefined ? group : "reference";
}
