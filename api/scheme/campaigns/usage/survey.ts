import type { Database } from "../../../platform/db/index.ts";
import type { CampaignDeps } from "../deps.ts";
import type { CampaignRow } from "../model.ts";
import { drawUsageSurvey } from "./sample.ts";
import { usageStore } from "./store.ts";

/** How the drawn devices of one age ended. */
export type SurveyedCohort = {
  age: number;
  /** Devices of the frame. */
  devices: number;
  sample: number;
  inUse: number;
  notInUse: number;
  missing: number;
  open: number;
};

export type SurveyState = { isDrawn: boolean; cohorts: SurveyedCohort[] };

/** The state of a campaign's usage survey; null where its terms commit no frame. */
export async function surveyStateOf(
  deps: Pick<CampaignDeps, "db" | "registry">,
  row: CampaignRow,
): Promise<SurveyState | null> {
  const { usageFrame } = row.terms;
  if (usageFrame === undefined) return null;
  const isDrawn = await drawUsageSurvey(deps, row);
  const counts = isDrawn ? await countsByAge(deps.db, row.campaign) : new Map();
  const cohorts = usageFrame.cohorts.map(({ age, devices, sample }) => {
    const { inUse = 0, notInUse = 0, missing = 0 } = counts.get(age) ?? {};
    return { age, devices, sample, inUse, notInUse, missing, open: sample - inUse - notInUse - missing };
  });
  return { isDrawn, cohorts };
}

async function countsByAge(db: Database, campaign: number) {
  return new Map((await usageStore(db).counts(campaign)).map((each) => [each.age, each]));
}

/** The survey of each age for the calculation: a missing device counts as surveyed and not in use. */
export function usageCohortsOf(cohorts: readonly SurveyedCohort[]) {
  return cohorts
    .map(({ age, inUse, notInUse, missing }) => ({ age, surveyed: inUse + notInUse + missing, inUse }))
    .filter(({ surveyed }) => surveyed > 0);
}

/** Positions that have not ended. */
export function openUsagePositions(cohorts: readonly SurveyedCohort[]): number {
  return cohorts.reduce((sum, { open }) => sum + open, 0);
}
