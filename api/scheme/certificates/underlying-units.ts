import { todayOf } from "../../platform/chain/index.ts";
import type { RuleDetail } from "../../platform/errors.ts";
import { carbonRegistries, carbonRegistryOf } from "../parameters/index.ts";
import type { CertificateDeps } from "./deps.ts";

/** Micro-CARBON of a registry's unit: a tonne, and 1 CARBON is 1 kg CO2e. */
const microPerUnit = 1_000_000_000n;

type Units = { registry: string; firstSerial: bigint; lastSerial: bigint };
type Deps = Pick<CertificateDeps, "chain" | "parameters">;

/**
 * Whether a certificate's serials are a unit for each whole tonne of its reduction; null where the registry is not on record, because
 * nobody then knows what one of its units stands for. Registries issue units for whole tonnes only.
 * @param verifiedReduction micro-CARBON
 */
export async function coversReduction(
  { chain, parameters }: Deps,
  { registry, firstSerial, lastSerial }: Units,
  verifiedReduction: bigint,
): Promise<boolean | null> {
  const day = await todayOf({ chain });
  if (carbonRegistryOf(carbonRegistries(await parameters.all(), day), registry) === null) return null;
  return lastSerial - firstSerial + 1n >= verifiedReduction / microPerUnit;
}

/** List the rule that too few units of a recorded registry break. */
export async function unitProblems(deps: Deps, units: Units, verifiedReduction: bigint): Promise<RuleDetail[]> {
  if (units.lastSerial < units.firstSerial || (await coversReduction(deps, units, verifiedReduction)) !== false)
    return [];
  const count = units.lastSerial - units.firstSerial + 1n;
  const message = `The serials are ${count} units of a tonne each, and the reduction has ${verifiedReduction / microPerUnit} whole tonnes.`;
  return [{ path: "underlyingUnits", rule: "units-cover-reduction", message }];
}
