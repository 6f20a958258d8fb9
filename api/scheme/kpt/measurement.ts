import type { KptMeasurement } from "../../../wire/src/kpt-rules.ts";
import { type KptFuel, measurementOfVisits } from "../../../wire/src/kpt-visits.ts";
import type { KptClaimRequest } from "./schemas.ts";

/** A claim as the rules read it. @param fuel whose total and daily logs follow from visits: the campaign's */
export function kptMeasurementOf(claim: KptClaimRequest, fuel: KptFuel): KptMeasurement {
  const { visits, fuelMeasurements, ...rest } = claim;
  if (fuelMeasurements !== undefined) return { ...rest, fuelMeasurements };
  if (visits === undefined) throw new Error("A claim has neither fuelMeasurements nor visits.");
  return { ...rest, visits, fuelMeasurements: measurementOfVisits(visits, fuel) };
}
