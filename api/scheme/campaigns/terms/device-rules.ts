import type { RuleDetail } from "../../../platform/errors.ts";
import type { CampaignDeps } from "../deps.ts";
import type { CampaignTerms } from "./terms.ts";

type DeviceDeps = Pick<CampaignDeps, "devices" | "registry">;

/** Once a plan has registered devices, each household of an intervention frame has one in place during the whole test. */
export async function equipmentProblems(
  { devices, registry }: DeviceDeps,
  plan: number,
  frame: readonly string[],
  { startDate: from, endDate: to }: { startDate: string; endDate: string },
): Promise<RuleDetail[]> {
  if (!(await devices.hasAny(plan))) return [];
  const households = await registry.households.byDids([...frame]);
  const indexes = [...households.values()].map(({ household }) => household);
  const equipped = await devices.equipped(plan, indexes, { from, to });
  return frame.flatMap((did, i) => {
    const household = households.get(did)?.household;
    // A household that is not registered breaks another rule.
    if (household === undefined || equipped.has(household)) return [];
    const message = `Household ${did} has no device of this plan that is in place from ${from} to ${to}.`;
    return [{ path: `groups.intervention.frame.${i}`, rule: "device-installed", message }];
  });
}

const usageTerms = ["usage", "usageSurvey", "usageSurveys"] as const;

/** Whether terms give the share of devices in use, instead of a survey on record. */
export function statesUsage(emissions: CampaignTerms["emissions"]): boolean {
  return usageTerms.some((name) => emissions?.[name] !== undefined);
}

/** Once a plan has registered devices, they are counted and surveyed, so that neither a number nor a usage is given. */
export async function countedTermProblems(
  { devices }: Pick<DeviceDeps, "devices">,
  plan: number,
  { emissions }: CampaignTerms,
): Promise<RuleDetail[]> {
  const hasDevices = await devices.hasAny(plan);
  if (!hasDevices && emissions?.usageSurveys !== undefined) {
    const message = "A survey by age needs registered devices (POST /v1/devices), whose ages are known.";
    return [{ path: "emissions.usageSurveys", rule: "devices-registered", message }];
  }
  if (!hasDevices) return [];
  const given = (names: readonly (keyof NonNullable<typeof emissions>)[]) =>
    names.filter((name) => emissions?.[name] !== undefined);
  return [
    ...given(["units", "newUnits"]).map((name) => {
      const message = `${name} is counted from the plan's registered devices and may not be given.`;
      return { path: `emissions.${name}`, rule: "counted-from-devices", message };
    }),
    ...given(usageTerms).map((name) => {
      const message = `${name} may not be given: the plan has registered devices, of which a sample is drawn and surveyed (GET /v1/campaigns/{campaignId}/usage-survey).`;
      return { path: `emissions.${name}`, rule: "usage-from-survey", message };
    }),
  ];
}
