import { type KptPeopleFed, peopleKinds } from "../../../../../wire/src/kpt-visits.ts";
import {
  type Decimal,
  decimal,
  type FuelId,
  fuelIds,
  type HouseholdMembers,
  peopleOf,
  type Ratio,
  standardAdultTenths,
  type ValueUnit,
} from "../../../emissions/index.ts";
import type { Group } from "../../groups.ts";
import { divisorOf } from "./value-unit.ts";

/** A claim that counts: what one test of a household measured. */
export type MeasuredClaim = {
  id: string;
  group: Group;
  position: number;
  /** Of the campaign's fuel. */
  totalGrams: bigint;
  logs: number;
  /** Of a claim with visits: grams (Wh of electricity) of each fuel as decimal text. */
  fuels?: Readonly<Partial<Record<FuelId, string>>> | undefined;
  /** Of a claim that counts dry mass: grams of solid biomass as weighed. */
  weighed?: Readonly<Partial<Record<FuelId, string>>> | undefined;
  /** Of a claim with visits: the people that they fed. */
  fed?: Readonly<KptPeopleFed> | undefined;
};

/** Who lives in the household at a position of a group's draw order; null where that is not known. */
export type MembersAt = (group: Group, position: number) => HouseholdMembers | null;

/** A household as one unit of the sample: all its claims together. */
export type MeasuredHousehold = {
  position: number;
  claimIds: string[];
  totalGrams: bigint;
  logs: number;
  /** Grams (Wh of electricity) of each fuel that visits weighed; empty where the claims have a single fuel. */
  fuels: Map<FuelId, bigint>;
  members: HouseholdMembers | null;
  /** The people that visits fed, added up over the claims. */
  fed: KptPeopleFed;
  /** Days, or days times people or standard adults, by which its fuel is divided; null where its people are not known. */
  divisor: Ratio | null;
};

/** A household whose value is known. */
export type ValuedHousehold = MeasuredHousehold & { divisor: Ratio };

const nobodyAsked: KptPeopleFed = { days: 0, nobody: 0, children: 0, women: 0, men: 0, elderly: 0, guests: 0 };

/** Say how the value of a household is calculated. */
export function combinationOf(per: ValueUnit): string {
  const fuel = "A household is one unit: the fuel of all its claims together ÷";
  if (per === "household") return `${fuel} the number of all their daily logs.`;
  return `${fuel} the ${plurals[per]} of all their daily logs: the registered members, or those that visits fed where these are more in the reference group or, without guests, fewer in the intervention group.`;
}
const plurals = { person: "people", "standard-adult": "standard adults" } as const;

/** The unit of a household's value, in words. */
export const unitNames = {
  household: "household",
  person: "person",
  "standard-adult": "standard adult",
} as const satisfies Record<ValueUnit, string>;

/** The households that claims measured, by group, in the order of their positions. */
export function householdsOf(
  claims: readonly MeasuredClaim[],
  membersAt: MembersAt,
  per: ValueUnit = "household",
): Record<Group, MeasuredHousehold[]> {
  const found = { reference: new Map<number, MeasuredHousehold>(), intervention: new Map<number, MeasuredHousehold>() };
  for (const { id, group, position, totalGrams, logs, fuels = {}, fed = nobodyAsked } of claims) {
    const known = found[group].get(position);
    if (known === undefined) {
      const members = membersAt(group, position);
      const household = { position, claimIds: [id], totalGrams, logs, fuels: new Map(), members, fed, divisor: null };
      addFuels(household, fuels);
      found[group].set(position, household);
    } else {
      known.claimIds.push(id);
      known.totalGrams += totalGrams;
      known.logs += logs;
      addFuels(known, fuels);
      known.fed = addedPeople(known.fed, fed);
    }
  }
  const divided = (group: Group) => {
    const households = inOrder(found[group]);
    for (const household of households) household.divisor = divisorOf(household, per, group);
    return households;
  };
  return { reference: divided("reference"), intervention: divided("intervention") };
}

function addFuels({ fuels }: MeasuredHousehold, added: NonNullable<MeasuredClaim["fuels"]>): void {
  for (const fuel of fuelIds) {
    const amount = added[fuel];
    if (amount !== undefined) fuels.set(fuel, (fuels.get(fuel) ?? 0n) + BigInt(amount));
  }
}

function addedPeople(a: Readonly<KptPeopleFed>, b: Readonly<KptPeopleFed>): KptPeopleFed {
  const sum = { ...a, days: a.days + b.days, nobody: a.nobody + b.nobody };
  for (const kind of peopleKinds) sum[kind] += b[kind];
  return sum;
}

/** Solid biomass of a group's claims: its mass as weighed and without its water, in grams. */
export type DriedFuelAmount = { fuel: FuelId; weighed: bigint; dry: bigint };

/** Add up the solid biomass of each group's claims, in the order of the fuels; empty where mass counts as weighed. */
export function driedFuelsOf(claims: readonly MeasuredClaim[]): Record<Group, DriedFuelAmount[]> {
  const amountsOf = (group: Group) =>
    fuelIds.flatMap((fuel): DriedFuelAmount[] => {
      const own = claims.filter((claim) => claim.group === group && claim.weighed?.[fuel] !== undefined);
      if (own.length === 0) return [];
      const sum = (name: "weighed" | "fuels") => own.reduce((all, claim) => all + BigInt(claim[name]?.[fuel] ?? 0), 0n);
      return [{ fuel, weighed: sum("weighed"), dry: sum("fuels") }];
    });
  return { reference: amountsOf("reference"), intervention: amountsOf("intervention") };
}

/** Mean moisture on wet basis: the share of water in the mass as weighed; null where nothing was weighed. */
export function moistureOf({ weighed, dry }: DriedFuelAmount): Decimal | null {
  return weighed === 0n ? null : decimal(weighed - dry).div(decimal(weighed));
}

function inOrder(found: Map<number, MeasuredHousehold>): MeasuredHousehold[] {
  const positions = Uint32Array.from(found.keys()).sort();
  return Array.from(positions, (position) => {
    const household = found.get(position) as MeasuredHousehold;
    if (household.claimIds.length > 1) household.claimIds.sort();
    return household;
  });
}

const gramsPerKilogram = 1000n;

/** kg a day, of the household or of each person or standard adult in it. */
export function dailyFuel({ totalGrams, divisor }: ValuedHousehold): Ratio {
  return dividedBy(totalGrams, divisor);
}

/** The same, kg (kWh) of every fuel; `fuel` is the campaign's, which claims without visits measured. */
export function dailyFuels(
  { totalGrams, fuels, divisor }: MeasuredHousehold,
  fuel: FuelId,
): Partial<Record<FuelId, Ratio>> | null {
  if (divisor === null) return null;
  const found: Partial<Record<FuelId, Ratio>> = {};
  for (const [other, grams] of fuels) found[other] = dividedBy(grams, divisor);
  found[fuel] = dividedBy(totalGrams, divisor);
  return found;
}

function dividedBy(grams: bigint, { numerator, denominator }: Ratio): Ratio {
  return { numerator: grams * denominator, denominator: gramsPerKilogram * numerator };
}

/** Divide a household's fuel by its days, in kg a day; its people are not counted. */
export function dailyFuelOfHousehold({ totalGrams, logs }: MeasuredHousehold): Ratio {
  return { numerator: totalGrams, denominator: gramsPerKilogram * BigInt(logs) };
}

/** kg per standard adult and day; null where nobody is known to live there. */
export function dailyFuelOfAdult({ totalGrams, logs, members }: MeasuredHousehold): Ratio | null {
  const tenths = members === null ? 0 : standardAdultTenths(members);
  return tenths === 0 ? null : dailyFuelOfTenths({ totalGrams, logs }, tenths);
}

/** kg per standard adult and day of a household that counts as so many tenths of a standard adult. */
export function dailyFuelOfTenths(
  { totalGrams, logs }: Pick<MeasuredHousehold, "totalGrams" | "logs">,
  tenths: number,
): Ratio {
  return { numerator: totalGrams * 10n, denominator: gramsPerKilogram * BigInt(logs * tenths) };
}

/** How many people the households have together, of those whose members are known. */
export function countPeople(households: readonly MeasuredHousehold[]): { people: number; known: number } {
  const sizes = households
    .map(({ members }) => (members === null ? 0 : peopleOf(members)))
    .filter((people) => people > 0);
  return { people: sizes.reduce((sum, people) => sum + people, 0), known: sizes.length };
}
