import type { KptPeopleFed } from "../../../../wire/src/kpt-visits.ts";
import {
  type Decimal,
  decimal,
  type HouseholdMembers,
  peopleOf,
  type Ratio,
  standardAdultTenths,
  standardAdultTenthsOf,
  type ValueUnit,
} from "../../emissions/index.ts";
import { type Group, groups } from "../groups.ts";
import { assumedSize } from "./parameters.ts";

/** A household's daily logs, the people that visits of some of them fed, and its registered members. */
type Fed = { logs: number; fed: KptPeopleFed; members: HouseholdMembers | null };

/**
 * Tenths of a standard adult that a guest counts for. Their age is not recorded, so they count as much as anyone in the reference
 * group and as little as anyone in the intervention group, which never raises the saving.
 */
const guestTenths: Readonly<Record<Group, number>> = {
  reference: standardAdultTenthsOf.men,
  intervention: standardAdultTenthsOf.children,
};

/** Days times the units of a household's value on each; null where it is not known who ate. */
export function divisorOf(household: Fed, per: ValueUnit, group: Group): Ratio | null {
  if (per === "household") return { numerator: BigInt(household.logs), denominator: 1n };
  if (per === "person") return ratioOf(peopleDays(household), 1);
  return ratioOf(adultTenthDays(household, group), 10);
}

/** People times days: those that were fed where visits say so, else the registered members; null where neither is known. */
export function peopleDays({ logs, fed, members }: Fed): number | null {
  return withMembers(peopleOf(fed) + fed.guests, logs - fed.days, members === null ? 0 : peopleOf(members));
}

function adultTenthDays({ logs, fed, members }: Fed, group: Group): number | null {
  const ofFed = standardAdultTenths(fed) + guestTenths[group] * fed.guests;
  return withMembers(ofFed, logs - fed.days, members === null ? 0 : standardAdultTenths(members));
}

function withMembers(ofFed: number, otherDays: number, ofMembers: number): number | null {
  if (otherDays > 0 && ofMembers === 0) return null;
  const all = ofFed + otherDays * ofMembers;
  return all === 0 ? null : all;
}

function ratioOf(whole: number | null, parts: number): Ratio | null {
  return whole === null ? null : { numerator: BigInt(whole), denominator: BigInt(parts) };
}

/** What a group tells of the size of its households: means of what was counted, and the registered members. */
export type CountedSize = {
  /** People of a household, as the values count them. */
  people: Decimal;
  /** People or standard adults of a household, as the values count them. */
  units: Decimal;
  /** Measured households, those whose members are registered, and how many people these are. */
  registered: { measured: number; known: number; people: number };
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
 * registered members by the rule of a stated household size, and of the size that the terms give. It is at most the size at which the
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
  const credited = leastOf([people, given, registeredLimit(registered)]);
  return { people: credited, units: units.times(credited).div(people) };
}

/** The mean of the registered members, and at most the assumed size where not all households have some. */
function registeredLimit({ measured, known, people }: CountedSize["registered"]): Decimal {
  if (known === 0) return assumedSize;
  const mean = decimal(people).div(known);
  return known < measured ? leastOf([mean, assumedSize]) : mean;
}

function leastOf([first, ...others]: [Decimal, ...Decimal[]]): Decimal {
  return others.reduce((least, each) => (each.lt(least) ? each : least), first);
}
