import type { RuleDetail } from "../../../platform/errors.ts";
import { decimal, decimalText, displayText, peopleOf, readsMeters } from "../../emissions/index.ts";
import type { ResultRecord } from "./record.ts";
import { registryProblems } from "./registry-rules.ts";

/** List the figures that terms state and that are beyond what is on record, and days that differ between claims. */
export function statedFigureProblems(record: ResultRecord): RuleDetail[] {
  // A result of today has these among its own problems.
  const uncounted = record.requiresRegistry ? [] : registryProblems(record);
  return [...uncounted, ...unitProblems(record), ...householdSizeProblems(record), ...dayProblems(record)];
}

/** Where the terms fix no number of days, it could be chosen for each household by what was measured. Meters count on every day. */
function dayProblems({ terms, claims }: ResultRecord): RuleDetail[] {
  const weighed = readsMeters(terms.method) ? claims.filter(({ group }) => group === "reference") : claims;
  const counts = [...new Set(weighed.map(({ logs }) => logs))].sort((a, b) => a - b);
  if (counts.length <= 1) return [];
  const message = `The claims have ${counts.join(", ")} daily logs; a certificate needs claims with equally many.`;
  return [{ path: "days", rule: "days-equal", message }];
}

/** Without registered devices nothing on record shows more than one for each household of the intervention frame. */
function unitProblems({ terms, devices, frameSizes }: ResultRecord): RuleDetail[] {
  if (devices !== undefined) return [];
  const households = frameSizes.intervention;
  return (["units", "newUnits"] as const).flatMap((name) => {
    const stated = terms[name];
    if (stated === undefined || decimal(stated).lte(households)) return [];
    const message = `The terms state ${name} ${decimalText(decimal(stated))}, and the intervention frame has ${households} households. More need registered devices (POST /v1/devices).`;
    return [{ path: `emissions.${name}`, rule: "units-within-frame", message }];
  });
}

/** Option B multiplies the baseline by the people of a household, so their number is at most that of the registered members. */
function householdSizeProblems({ terms, claims, members }: ResultRecord): RuleDetail[] {
  if (terms.baseline !== "minimum-service" || terms.householdSize === undefined) return [];
  const isReference = ({ group }: { group: string }) => group === "reference";
  const measured = new Set(claims.filter(isReference).map(({ position }) => position));
  const sizes = members.filter(isReference).map(peopleOf);
  const known = sizes.filter((people) => people > 0);
  const stated = decimal(terms.householdSize);
  const path = "emissions.householdSize";
  const rule = "household-size-on-record";
  const begin = `The terms state householdSize ${decimalText(stated)}`;
  if (known.length < measured.size) {
    const message = `${begin}, and the members of ${known.length} of the ${measured.size} measured reference households are registered. Option B needs all of them.`;
    return [{ path, rule, message }];
  }
  const people = known.reduce((sum, each) => sum + each, 0);
  if (stated.times(known.length).lte(people)) return [];
  const mean = displayText(decimal(people).div(known.length), 2);
  const message = `${begin}, and the measured reference households have ${mean} people on average, by their registered members.`;
  return [{ path, rule, message }];
}
