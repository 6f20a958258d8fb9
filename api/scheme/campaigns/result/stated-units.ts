import type { RuleDetail } from "../../../platform/errors.ts";
import { decimal, decimalText } from "../../emissions/index.ts";
import type { ResultRecord } from "./record.ts";

/**
 * Check a number of devices that terms state. Without registered devices nothing on record shows more than one for each household of
 * the intervention frame.
 */
export function statedUnitProblems({
  terms,
  devices,
  frameSizes,
}: Pick<ResultRecord, "terms" | "devices" | "frameSizes">): RuleDetail[] {
  if (devices !== undefined) return [];
  const households = frameSizes.intervention;
  return (["units", "newUnits"] as const).flatMap((name) => {
    const stated = terms[name];
    if (stated === undefined || decimal(stated).lte(households)) return [];
    const message = `The terms state ${name} ${decimalText(decimal(stated))}, and the intervention frame has ${households} households. More need registered devices (POST /v1/devices).`;
    return [{ path: `emissions.${name}`, rule: "units-within-frame", message }];
  });
}
