import { decimal, decimalText, displayText, type Flag } from "../../../emissions/index.ts";
import type { EmissionsTerms } from "../inputs/emissions-terms.ts";
import { countPeople, type MeasuredHousehold } from "../inputs/households.ts";

/**
 * Flag a stated household size that the registered members do not support: the caps on a household's baseline fuel and energy
 * (P_CAP) are per person, so a larger size raises them. With option B it prevents a certificate.
 */
export function householdSizeFlags(
  { householdSize, baseline }: EmissionsTerms,
  reference: readonly MeasuredHousehold[],
): Flag[] {
  if (householdSize === undefined || baseline === "minimum-service" || reference.length === 0) return [];
  const { people, known } = countPeople(reference);
  const stated = `The terms state householdSize ${decimalText(decimal(householdSize))}`;
  const flag = (message: string): Flag[] => [
    { group: "reference", rule: "household-size-stated", message, positions: [] },
  ];
  if (known < reference.length) {
    return flag(
      `${stated}; the members of ${known} of the ${reference.length} measured reference households are registered.`,
    );
  }
  if (decimal(householdSize).times(known).lte(people)) return [];
  return flag(`${stated}; the registered members make ${displayText(decimal(people).div(known), 2)} on average.`);
}
