import type { RuleDetail } from "../../../platform/errors.ts";
import { readsMeters } from "../../emissions/index.ts";
import type { EmissionsTerms, MethodId } from "./inputs/emissions-terms.ts";

/** `devices`, `usageSurvey`: undefined where no device is counted or surveyed. */
type Counted = { terms: EmissionsTerms; devices?: unknown; usageSurvey?: unknown };

/**
 * List what a result takes from its terms although a certificate needs it from the registry of devices: the number of units, and the
 * share that is used. Meters show the use, so that no survey is needed.
 */
export function registryProblems({ terms, devices, usageSurvey }: Counted, method?: MethodId): RuleDetail[] {
  const found: RuleDetail[] = [];
  if (devices === undefined) {
    const isStated = terms.units !== undefined || terms.newUnits !== undefined;
    const begin = isStated ? "The terms state the number of units" : "The number of units is assumed";
    const message = `${begin}. A certificate needs it counted from registered devices in the households of the intervention frame (POST /v1/devices).`;
    found.push({ path: "emissions.units", rule: "units-counted", message });
  }
  if (usageSurvey === undefined && !readsMeters(method ?? terms.method)) {
    const isStated = terms.usage ?? terms.usageSurvey ?? terms.usageSurveys;
    const begin =
      isStated === undefined ? "The share of units in use is assumed" : "The terms state the share of units in use";
    const message = `${begin}. A certificate needs a usage survey of registered devices (GET /v1/campaigns/{campaignId}/usage-survey).`;
    found.push({ path: "emissions.usage", rule: "usage-surveyed", message });
  }
  return found;
}
