import { type HouseholdMembers, peopleOf, type Ratio, standardAdultTenths } from "../../emissions/index.ts";
import type { Group } from "../groups.ts";

/** A claim that counts: what one test of a household measured. */
export type MeasuredClaim = { id: string; group: Group; position: number; totalGrams: bigint; logs: number };

/** Who lives in the household at a position of a group's draw order; null where that is not known. */
export type MembersAt = (group: Group, position: number) => HouseholdMembers | null;

/** A household as one unit of the sample: all its claims together. */
export type MeasuredHousehold = {
  position: number;
  claimIds: string[];
  totalGrams: bigint;
  logs: number;
  members: HouseholdMembers | null;
};

export const combination =
  "A household is one unit: the fuel of all its claims together ÷ the number of all their daily logs.";

/** The households that claims measured, by group, in the order of their positions. */
export function householdsOf(
  claims: readonly MeasuredClaim[],
  membersAt: MembersAt,
): Record<Group, MeasuredHousehold[]> {
  const found = { reference: new Map<number, MeasuredHousehold>(), intervention: new Map<number, MeasuredHousehold>() };
  for (const { id, group, position, totalGrams, logs } of claims) {
    const known = found[group].get(position);
    if (known === undefined) {
      const members = membersAt(group, position);
      found[group].set(position, { position, claimIds: [id], totalGrams, logs, members });
    } else {
      known.claimIds.push(id);
      known.totalGrams += totalGrams;
      known.logs += logs;
    }
  }
  return { reference: inOrder(found.reference), intervention: inOrder(found.intervention) };
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

/** kg per household and day. */
export function dailyFuel({ totalGrams, logs }: MeasuredHousehold): Ratio {
  return { numerator: totalGrams, denominator: gramsPerKilogram * BigInt(logs) };
}

/** kg per standard adult and day; null where nobody is known to live there. */
export function dailyFuelOfAdult({ totalGrams, logs, members }: MeasuredHousehold): Ratio | null {
  const tenths = members === null ? 0 : standardAdultTenths(members);
  if (tenths === 0) return null;
  return { numerator: totalGrams * 10n, denominator: gramsPerKilogram * BigInt(logs * tenths) };
}

/** How many people the households have together, of those whose members are known. */
export function countPeople(households: readonly MeasuredHousehold[]): { people: number; known: number } {
  const sizes = households
    .map(({ members }) => (members === null ? 0 : peopleOf(members)))
    .filter((people) => people > 0);
  return { people: sizes.reduce((sum, people) => sum + people, 0), known: sizes.length };
}
