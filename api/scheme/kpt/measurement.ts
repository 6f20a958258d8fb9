import type { KptMeasurement } from "../../../wire/src/kpt-rules.ts";
import { amountIn, type FuelMass, type KptFuel, measurementOfVisits } from "../../../wire/src/kpt-visits.ts";
import type { KptClaimRequest } from "./schemas.ts";

/**
 * Convert a claim for the rules.
 * @param fuel the campaign's, whose total and daily logs are derived from visits
 * @param mass how the campaign counts the fuel; absent: as weighed
 */
export function kptMeasurementOf(claim: KptClaimRequest, fuel: KptFuel, mass?: FuelMass): KptMeasurement {
  const { visits, fuelMeasurements, ...rest } = claim;
  if (visits === undefined) {
    if (fuelMeasurements === undefined) throw new Error("A claim has neither fuelMeasurements nor visits.");
    return { ...rest, fuelMeasurements };
  }
  const derived = measurementOfVisits(visits, fuel, amountIn(mass, claim.testGroup));
  return { ...rest, visits, fuelMeasurements: derived, stated: fuelMeasurements };
}
