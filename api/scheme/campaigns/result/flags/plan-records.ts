import type { RuleDetail } from "../../../../platform/errors.ts";
import { type Flag, usualGwp } from "../../../emissions/index.ts";
import {
  choiceOf,
  idOf,
  isValidIn,
  type ParameterEntry,
  type Parameters,
  planKinds,
} from "../../../parameters/index.ts";
import type { EmissionsTerms } from "../inputs/emissions-terms.ts";

/** What the regulator recorded of a plan: the id of the parameter, and the area or fuel that it chose. */
type PlanRecord = { id: string; choice: string };

/** The area and the fuel that the regulator recorded for a campaign's plan; each is absent where it recorded none. */
export type PlanRecords = { area?: PlanRecord; fuel?: PlanRecord };

const kindOfTerm = { area: "plan-area", fuel: "plan-fuel" } as const satisfies Record<
  keyof PlanRecords,
  (typeof planKinds)[number]
>;
const terms = ["area", "fuel"] as const satisfies (keyof PlanRecords)[];

type Recorded = Pick<ParameterEntry, "kind" | "key" | "unit" | "validFrom" | "validTo">;

/** Whether a parameter records the area or the fuel of a plan. */
export function isPlanKind(kind: string): boolean {
  return planKinds.some((each) => each === kind);
}

/**
 * Find what is recorded for a plan: of each kind the newest entry that is valid in the whole test period.
 * @param entries in the order in which they were recorded
 */
export function planRecordsOf(
  entries: readonly { id: string; entry: Recorded }[],
  planId: string,
  test: { startDate: string; endDate: string },
): PlanRecords {
  const found: PlanRecords = {};
  for (const term of terms) {
    const newest = entries.findLast(
      ({ entry }) => entry.kind === kindOfTerm[term] && entry.key === planId && isValidIn(entry, test),
    );
    const choice = newest === undefined ? null : choiceOf(newest.entry);
    if (newest !== undefined && choice !== null) found[term] = { id: newest.id, choice };
  }
  return found;
}

/** Read what the regulator recorded for a plan. */
export async function readPlanRecords(
  list: Pick<Parameters, "all">,
  planId: string,
  test: { startDate: string; endDate: string },
): Promise<PlanRecords> {
  const entries = (await list.all()).map((entry) => ({ id: idOf(entry), entry }));
  return planRecordsOf(entries, planId, test);
}

/** List the terms that contradict what is recorded for the plan. The area decides the fNRB, and the fuel its calorific value. */
export function planRecordProblems(given: EmissionsTerms, records: PlanRecords | undefined): RuleDetail[] {
  return terms.flatMap((term): RuleDetail[] => {
    const [stated, recorded] = [given[term], records?.[term]];
    if (stated === undefined || recorded === undefined || stated === recorded.choice) return [];
    const message = `The terms state the ${term} ${stated}; ${recorded.id} records ${recorded.choice} for the plan.`;
    return [{ path: `emissions.${term}`, rule: `${term}-of-plan`, message }];
  });
}

/** Flag an area and a fuel that the terms alone state, and warming potentials other than the usual ones: nothing on record supports them. */
export function planRecordFlags(given: EmissionsTerms, records: PlanRecords = {}): Flag[] {
  const unsupported = terms.filter((term) => given[term] !== undefined && records[term] === undefined);
  const named = unsupported.map((term) => `${term} ${given[term]}`).join(" and ");
  const found: Flag[] = [];
  if (unsupported.length > 0) {
    const message = `The terms state ${named}, which the regulator has not recorded for the plan.`;
    found.push({ group: "intervention", rule: "area-stated", message, positions: [] });
  }
  if (given.gwp !== undefined && given.gwp !== usualGwp) {
    const message = `The terms state the warming potentials of ${given.gwp}, which no record here supports. Without a term they are those of ${usualGwp}.`;
    found.push({ group: "intervention", rule: "gwp-stated", message, positions: [] });
  }
  return found;
}
