import type { KptPeopleFed } from "../../../../../wire/src/kpt-visits.ts";
import {
  type Decimal,
  type HouseholdMembers,
  peopleOf,
  type Ratio,
  standardAdultTenths,
  standardAdultTenthsOf,
  type ValueUnit,
} from "../../../emissions/index.ts";
import { type Group, groups } from "../../groups.ts";

/** A household's daily logs, the people that visits of some of them fed, and its registered members. */
type Fed = { logs: number; fed: KptPeopleFed; members: HouseholdMembers | null };

/** How people are counted: each as one, or in tenths of a standard adult. The age of a guest is not recorded: it counts the most. */
const scales = {
  person: { countOf: peopleOf, guest: 1, parts: 1n },
  "standard-adult": { countOf: standardAdultTenths, guest: standardAdultTenthsOf.men, parts: 10n },
} as const;

/**
 * Days times the units of a household's value on each: of its registered members. Those that visits fed replace them only against
 * the project: where they are more, with guests, in the reference group; where they are fewer, without guests, in the intervention
 * group. Null where no member is registered, or none was fed.
 */
export function divisorOf({ logs, fed, members }: Fed, per: ValueUnit, group: Group): Ratio | null {
  if (per === "household") return { numerator: BigInt(logs), denominator: 1n };
  const { countOf, guest, parts } = scales[per];
  const ofMembers = members === null ? 0 : countOf(members);
  if (ofMembers === 0) return null;
  const registered = logs * ofMembers;
  const own = countOf(fed) + (logs - fed.days) * ofMembers;
  const counted = group === "reference" ? Math.max(own + guest * fed.guests, registered) : Math.min(own, registered);
  return counted === 0 ? null : { numerator: BigInt(counted), denominator: parts };
}

/** What a group tells of the size of its households, on the mean. */
export type CountedSize = {
  /** People of a household, as the values count them. */
  people: Decimal;
  /** People or standard adults of a household, as the values count them. */
  units: Decimal;
  /** Registered members of a household. */
  registered: Decimal;
};

export type CountedSizes = {
  groups: Record<Group, CountedSize>;
  /** The mean of the reference households' fuel ÷ the mean of their values; null where they use none. */
  ofFuel: Decimal | null;
};

/** `people`: the size of a household. `units`: the people or standard adults that it counts as. */
export type CreditedSize = { people: Decimal; units: Decimal };

/**
 * Choose how many people or standard adults a household of the project counts as: the least of what both groups counted, of their
 * registered members, and of the size that the terms give. It is at most the size at which the
 * reference group's mean value makes the mean of its households' fuel, because small households use more for each person.
 */
export function creditedSize({ groups: sizes, ofFuel }: CountedSizes, given: Decimal): CreditedSize {
  const [least] = groups
    .map((group) => sizeOfGroup(sizes[group], given))
    .sort((a, b) => a.units.comparedTo(b.units)) as [CreditedSize, CreditedSize];
  if (ofFuel === null || ofFuel.gte(least.units)) return least;
  return { people: least.people.times(ofFuel).div(least.units), units: ofFuel };
}

function sizeOfGroup({ people, units, registered }: CountedSize, given: Decimal): CreditedSize {
  const credited = leastOf([people, given, registered]);
  return { people: credited, units: units.times(credited).div(people) };
}

function leastOf([first, ...others]: [Decimal, ...Decimal[]]): Decimal {
  return others.reduce((least, each) => (each.lt(least) ? each : least), first);
}
