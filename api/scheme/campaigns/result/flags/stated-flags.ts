import { type DeviceCount, decimal, decimalText, type Flag, readsMeters } from "../../../emissions/index.ts";
import type { DeviceHouseholds } from "../inputs/counted-devices.ts";
import type { EmissionsTerms } from "../inputs/emissions-terms.ts";

const stated = ["units", "newUnits", "usage", "life", "daf", "he", "leakage"] as const;

type Stated = {
  terms: EmissionsTerms;
  devices?: DeviceCount | undefined;
  deviceHouseholds?: DeviceHouseholds | undefined;
};

/**
 * Flag figures that only the terms state and devices that the usage survey could not find unused, which no record supports, and a frame
 * that leaves out households of the plan.
 */
export function statedFlags({ terms, devices, deviceHouseholds }: Stated): Flag[] {
  return [...figureFlags(terms), ...deviceFlags(devices), ...frameFlags(deviceHouseholds)];
}

function figureFlags(terms: EmissionsTerms): Flag[] {
  // Of a result by meters the count of the meters is the record.
  const isUnread = (name: string) => readsMeters(terms.method) && (name === "units" || name === "usage");
  const given = stated.flatMap((name) => {
    const figure = terms[name];
    return figure === undefined || isUnread(name) ? [] : [`${name} ${decimalText(decimal(figure))}`];
  });
  const { usageSurvey } = terms;
  if (usageSurvey !== undefined) given.push(`usage of ${usageSurvey.inUse} in ${usageSurvey.surveyed} devices`);
  for (const [symbol, figure] of Object.entries(terms.methodParameters ?? {})) {
    given.push(`${symbol} ${decimalText(decimal(figure))}`);
  }
  if (given.length === 0) return [];
  const message = `The terms state figures that no record here supports: ${given.join(", ")}.`;
  return [{ group: "intervention", rule: "figures-stated", message, positions: [] }];
}

function deviceFlags(devices: DeviceCount | undefined): Flag[] {
  if (devices === undefined) return [];
  const all = devices.cohorts.reduce((sum, cohort) => sum + cohort.devices, 0);
  const late = devices.cohorts.reduce(
    (sum, cohort) => sum + Math.max(0, cohort.devices - (cohort.drawable ?? cohort.devices)),
    0,
  );
  if (late === 0) return [];
  const message = `${late} of the ${all} counted devices were installed after the day of the usage survey, so it could not draw them.`;
  return [{ group: "intervention", rule: "devices-not-drawable", message, positions: [] }];
}

/** The implementer chooses the frame, so the others of the plan may use more fuel than those in it. */
function frameFlags(households: DeviceHouseholds | undefined): Flag[] {
  if (households === undefined || households.inFrame >= households.ofPlan) return [];
  const { inFrame, ofPlan } = households;
  const message = `The intervention frame has ${inFrame} of the ${ofPlan} households of the plan with a device in the crediting year. Only their devices count.`;
  return [{ group: "intervention", rule: "frame-covers-part-of-plan", message, positions: [] }];
}
