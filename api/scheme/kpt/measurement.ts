import type { KptMeasurement } from "../../../wire/src/kpt-rules.ts";
import { type KptFuel, measurementOfVisits } from "../../../wire/src/kpt-visits.ts";
import type { KptClaimRequest } from "./schemas.ts";

/** Convert a claim for the rules. @param fuel the campaign's, whose total and daily logs are derived from visits */
export function kptMeasurementOf(claim: KptClaimRequest, fuel: KptFuel): KptMeasurement {
  const { visits, fuelMeasurements, ...rest } = claim;
  if (fuelMeasurements !== undefined) return { ...rest, fuelMeasurements };
  if (visits === undefined) throw new Error("A claim has neither fuelMeasurements nor visits.");
  return { ...rest, visits, fuelMeasurements: measurementOfVisits(visits, fuel) };
}
