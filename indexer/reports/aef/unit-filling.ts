/** How far ITMOs fill the underlying units that they name. Two rows may share a unit, if it verifies enough tonnes for both. */

import { formatScaled } from "../../../wire/src/exact.ts";
import { tonne } from "../../lib/lots.ts";
import type { Capacity } from "./facts.ts";
import type { Span } from "./ranges.ts";

/** A tonne is a billion micro-CARBON. */
const TONNE_DECIMALS = 9;

export type Units = { first: bigint; last: bigint };
/** The serials of a row's ITMOs. */
export type Serials = Omit<Span, "attribute">;
/** What a row names for its serials: `registry` is "" if it names nothing, `units` is null if they cannot be compared. */
export type Source = { registry: string; units: Units | null };
export type Fault = { serials: Serials; problem: string };
/** Tonnes of a row that name a source. */
export type SourceClaim = Source & { row: Serials; tonnes: bigint };
/**
 * How far rows have filled the units of a registry. `last`: the last unit that they name. `to`: micro-CARBON from unit 0, times the
 * number of units that verify it together, so that it stays whole.
 */
export type Filled = { last: bigint; to: bigint };
/** Finds what the units of a source verify; undefined if unknown. */
export type CapacityOf = (source: { registry: string; units: Units }) => Capacity | undefined;

export const sourceText = ({ registry, units }: Source): string =>
  units === null ? registry || "nothing" : `${registry} ${units.first}-${units.last}`;

/** Whole tonnes that units verify. */
export const tonnesOf = ({ first, last }: Units, { verified, count }: Capacity): bigint =>
  ((last - first + 1n) * verified) / count / tonne;

/** Fill the units of a claim after those before it, and find whether a shared unit has too few tonnes left. */
export function* fillUnits(
  { row, registry, units, tonnes }: SourceClaim,
  before: Filled | undefined,
  capacityOf: CapacityOf,
): Generator<Fault, Filled | undefined> {
  const capacity = units === null ? undefined : capacityOf({ registry, units });
  if (units === null || capacity === undefined) return before;
  const { verified, count } = capacity;
  const begin = units.first * verified;
  const used = before?.last === units.first && before.to > begin ? before.to - begin : 0n;
  const to = begin + used + tonnes * tonne * count;
  const end = (units.last + 1n) * verified;
  if (to > end && used > 0n && tonnes <= tonnesOf(units, capacity)) {
    const claimed = formatScaled(used / count, TONNE_DECIMALS);
    const problem = `${tonnes} t do not fit into ${sourceText({ registry, units })}: rows before it claim ${claimed} t of its first unit`;
    yield { serials: row, problem };
  }
  return { last: units.last, to: to > end ? end : to };
}

/** Find the claims that share a unit with others, where together they claim more than it verifies. */
export function* sharedBeyondCapacity(claims: readonly SourceClaim[], capacityOf: CapacityOf): Generator<Fault> {
  const ordered = claims.flatMap(({ units, ...claim }) => (units === null ? [] : [{ ...claim, units }]));
  ordered.sort(
    (a, b) =>
      compareTexts(a.registry, b.registry) ||
      compareNumbers(a.units.first, b.units.first) ||
      compareNumbers(a.units.last, b.units.last),
  );
  let [registry, filled]: [string, Filled | undefined] = ["", undefined];
  for (const claim of ordered) {
    filled = yield* fillUnits(claim, claim.registry === registry ? filled : undefined, capacityOf);
    registry = claim.registry;
  }
}

const compareNumbers = (a: bigint, b: bigint): number => (a === b ? 0 : a < b ? -1 : 1);
const compareTexts = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);
