import { decimal } from "../../api/scheme/emissions/decimal.ts";
import type { Pair } from "../../api/scheme/emissions/methods/method.ts";
import type { Smec4Params } from "../../api/scheme/emissions/methods/smec-4.ts";
import { quantity } from "../../api/scheme/emissions/units.ts";

/** For tests: a pair of the worked case, with the fuel of one unit in t a year. */
export function workedPair(fuel: string, changes: Partial<Pair> = {}): Pair {
  return {
    usage: decimal("0.92"),
    ncv: decimal("0.0156"),
    efCo2: decimal(112),
    fnrb: decimal("0.8"),
    efNonCo2: decimal("4.8"),
    units: decimal(1000),
    fuel: quantity(decimal(fuel), "t"),
    ...changes,
  };
}

/** For tests: the parameters of the worked case. */
export function workedParams(changes: Partial<Smec4Params> = {}): Smec4Params {
  return { daf: decimal("0.10"), newUnits: decimal(1000), life: decimal(3), he: decimal("0.9"), ...changes };
}

/** For tests: the worked case as a request's JSON text. */
export const workedRequest = JSON.stringify({
  method: "smec-4",
  baselinePairs: [{ usage: 0.92, ncv: 0.0156, ef_co2: 112, fnrb: 0.8, ef_nonco2: 4.8, n_stoves: 1000, p_fuel: 2.1375 }],
  activityPairs: [{ usage: 0.92, ncv: 0.0156, ef_co2: 112, fnrb: 0.8, ef_nonco2: 4.8, n_stoves: 1000, p_fuel: 1.3 }],
  params: { daf: 0.1, newUnits: 1000, life: 3, vintage: 2026, he: 0.9 },
});
