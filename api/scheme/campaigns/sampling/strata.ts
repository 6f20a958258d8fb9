import type { RuleDetail } from "../../../platform/errors.ts";
import { type HouseholdMembers, peopleOf, readsMeters } from "../../emissions/index.ts";
import { buildFrame, type Frame } from "../frame/frame.ts";
import { type Group, groups } from "../groups.ts";
import type { CampaignTerms } from "../terms/terms.ts";
import type { NewStratum } from "./schemas.ts";
import type { StratumTerms } from "./terms.ts";

/** The registered facts of a household by which strata are defined. */
export type Recorded = { region: string | null } & { [Name in keyof HouseholdMembers]: number | null };

/** Whether a household is in a stratum, by its registered facts. */
function isOf({ region, people }: NewStratum, household: Recorded): boolean {
  if (region !== undefined && household.region !== region) return false;
  if (people === undefined) return true;
  const { men, women, children, elderly } = household;
  const members = peopleOf({ men: men ?? 0, women: women ?? 0, children: children ?? 0, elderly: elderly ?? 0 });
  return members > 0 && members >= (people.from ?? 0) && members <= (people.to ?? Number.POSITIVE_INFINITY);
}

/** The households of each group by stratum, and each rule that they break. */
export type Stratified = { dids: Record<Group, string[][]>; broken: RuleDetail[] };

/** Sort the frames' households into strata by their registered facts. Each household belongs to exactly one. */
export function stratify(
  strata: readonly NewStratum[],
  frames: Record<Group, { frame: readonly string[] }>,
  recorded: ReadonlyMap<string, Recorded>,
): Stratified {
  const broken: RuleDetail[] = [];
  const sort = (group: Group) => {
    const found: string[][] = strata.map(() => []);
    for (const [i, did] of frames[group].frame.entries()) {
      const household = recorded.get(did);
      if (household === undefined) continue;
      const of = strata.flatMap((stratum, index) => (isOf(stratum, household) ? [index] : []));
      const [only] = of;
      if (only !== undefined && of.length === 1) found[only]?.push(did);
      else {
        const message =
          of.length === 0
            ? "No stratum matches the registered region and members of the household."
            : `The household is in several strata: ${of.map((index) => strata[index]?.id).join(", ")}.`;
        broken.push({ path: `groups.${group}.frame.${i}`, rule: "stratum-of-household", message });
      }
    }
    return found;
  };
  return { dids: { reference: sort("reference"), intervention: sort("intervention") }, broken };
}

/** List the rules that strata break, whatever their frames. */
export function strataProblems(
  strata: readonly NewStratum[],
  given: { sampleSize?: number | undefined },
): RuleDetail[] {
  const found: RuleDetail[] = [];
  const seen = new Set<string>();
  for (const [i, { id, region, people }] of strata.entries()) {
    const path = `sampling.strata.${i}`;
    if (seen.has(id)) found.push({ path: `${path}.id`, rule: "strata-once", message: `Stratum ${id} is named twice.` });
    seen.add(id);
    const isBounded = people?.from !== undefined || people?.to !== undefined;
    if (region === undefined && !isBounded) {
      const message = "A stratum needs a region, or a range of people (from, to, or both).";
      found.push({ path, rule: "stratum-ruled", message });
    }
  }
  const total = totalOf(strata);
  if (given.sampleSize !== undefined && given.sampleSize !== total) {
    const message = `The samples of the strata add up to ${total}, not ${given.sampleSize}.`;
    found.push({ path: "sampleSize", rule: "sample-of-strata", message });
  }
  return found;
}

/** List the strata whose sample is larger than their households in a frame. */
export function stratumSizeProblems(strata: readonly NewStratum[], dids: Stratified["dids"]): RuleDetail[] {
  return strata.flatMap(({ id, sampleSize }, i) =>
    groups.flatMap((group) => {
      const size = dids[group][i]?.length ?? 0;
      if (sampleSize <= size) return [];
      const message = `Stratum ${id} has ${size} households in the ${group} frame, fewer than its sample of ${sampleSize}.`;
      return [{ path: `sampling.strata.${i}.sampleSize`, rule: "stratum-within-frame", message }];
    }),
  );
}

/** List designs that cannot have strata. */
export function stratifiedDesignProblems(
  { sampling, emissions }: Pick<CampaignTerms, "sampling" | "emissions">,
  isStratified: boolean,
): RuleDetail[] {
  if (!isStratified) return [];
  const found: RuleDetail[] = [];
  if (sampling?.paired !== undefined) {
    const message = "A paired design cannot have strata: it estimates the mean difference of its pairs.";
    found.push({ path: "sampling.strata", rule: "strata-unpaired", message });
  }
  if (readsMeters(emissions?.method)) {
    const message = "Metered energy is not estimated from a sample, so it has no strata.";
    found.push({ path: "sampling.strata", rule: "strata-estimated", message });
  }
  return found;
}

/** Households to draw from each frame: those of all strata together. */
export function totalOf(strata: readonly { sampleSize: number }[]): number {
  return strata.reduce((sum, { sampleSize }) => sum + sampleSize, 0);
}

/** Make the terms of strata, which commit the households of each by a Merkle root, and their frames to store. */
export async function stratumFrames(
  strata: readonly NewStratum[],
  dids: Stratified["dids"],
  hashOf: (did: string) => `0x${string}`,
): Promise<{ terms: StratumTerms[]; frames: Frame[] }> {
  const terms: StratumTerms[] = [];
  const frames: Frame[] = [];
  for (const [i, stratum] of strata.entries()) {
    const frameOf = (group: Group) => buildFrame(dids[group][i] ?? [], hashOf);
    const [reference, intervention] = [await frameOf("reference"), await frameOf("intervention")];
    frames.push(reference, intervention);
    const committed = ({ root, dids: named }: Frame) => ({ root, size: named.length });
    terms.push({ ...stratum, frames: { reference: committed(reference), intervention: committed(intervention) } });
  }
  return { terms, frames };
}

/**
 * List the stratum of each drawn position of a group, by its index: the samples of the strata one after the other. A replacement is
 * of the stratum of the position that it replaced.
 * @param dropped replaced positions, in the order of their replacements
 */
export function strataOfPositions(strata: readonly { sampleSize: number }[], dropped: readonly number[]): number[] {
  const found = strata.flatMap(({ sampleSize }, index) => Array<number>(sampleSize).fill(index));
  for (const position of dropped) found.push(found[position] ?? 0);
  return found;
}

/**
 * Order a group's households by stratum: the first of each stratum's sample, then the replacements, each the next household of its
 * stratum, then the others. If a stratum has none left, the next of any stratum takes the place, which verify-draw reports.
 * @param order places of the leaves, ascending by their ranks
 * @param stratumAt the stratum of each place, by its index
 */
export function stratifiedOrder(
  order: Uint32Array,
  stratumAt: Uint8Array,
  strata: readonly { sampleSize: number }[],
  dropped: readonly number[],
): Uint32Array {
  const isTaken = new Uint8Array(order.length);
  const queueOf = (places: Uint32Array) => {
    let at = 0;
    return () => {
      while (at < places.length && isTaken[places[at] as number] === 1) at++;
      return places[at];
    };
  };
  const nextOf = strata.map((_, index) => queueOf(order.filter((place) => stratumAt[place] === index)));
  const nextOfAny = queueOf(order);
  const found: number[] = [];
  for (const index of strataOfPositions(strata, dropped)) {
    const place = nextOf[index]?.() ?? nextOfAny();
    if (place === undefined) break;
    isTaken[place] = 1;
    found.push(place);
  }
  return Uint32Array.from([...found, ...order.filter((place) => isTaken[place] === 0)]);
}
