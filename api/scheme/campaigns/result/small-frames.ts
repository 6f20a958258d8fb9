import { type LeftOut, type Method, methods, type Period, withRecordedMinimums } from "../../emissions/index.ts";
import type { CampaignDeps } from "../deps.ts";
import { type Group, groups } from "../groups.ts";
import type { CampaignRow } from "../model.ts";
import { periodOf } from "../sampling/terms.ts";
import { type CommittedParameter, committedMinimums } from "./committed-parameters.ts";
import { drawTimeOf, isInFrame, type ListedDevice } from "./counted-devices.ts";
import type { EmissionsTerms, MethodId } from "./emissions-terms.ts";
import { evaluatedMethods } from "./evaluation.ts";

type Frames = {
  frameSizes: Record<Group, number>;
  parameters?: readonly CommittedParameter[] | undefined;
  terms: EmissionsTerms;
};

/** The groups whose frame is smaller than the sample that a method of the result asks for. */
export function smallGroups({ frameSizes, ...given }: Frames): Group[] {
  const most = Math.max(...evaluatedMethods(given.terms.method).map((id) => methodOf(id, given).minimums.sample.value));
  return groups.filter((group) => frameSizes[group] < most);
}

function methodOf(id: MethodId, { parameters = [] }: Pick<Frames, "parameters">): Method {
  return withRecordedMinimums(methods.get(id) as Method, committedMinimums(parameters, id));
}

/** Count the plan's households outside the intervention frame with a device in place during the whole test, so that they could be in it. */
export function leftOutOfPlan(list: readonly ListedDevice[], { from, to }: Period, frameSize: number): number {
  const found = new Set<number | undefined>();
  for (const device of list) {
    const { household, installedOn, retiredOn, retiredAfterDraw } = device;
    const stays = retiredOn === undefined || retiredOn > to || retiredAfterDraw === true;
    if (!isInFrame(device, frameSize) && installedOn <= from && stays) found.add(household);
  }
  return found.size;
}

/** Count the households that each small frame of a campaign leaves out, of the plan's devices as listed. */
export async function leftOutOf(
  deps: Pick<CampaignDeps, "campaigns" | "devices" | "registry">,
  row: CampaignRow,
  { list, ...frames }: Frames & { list: readonly ListedDevice[] },
): Promise<LeftOut> {
  const small = smallGroups(frames);
  const { startDate: from, endDate: to } = periodOf(row, "intervention");
  const ofPlan = leftOutOfPlan(list, { from, to }, row.frameSizes.intervention);
  const found: Partial<Record<Group, number>> = {};
  for (const group of small) {
    const isOfPlan = group === "intervention" || row.terms.sampling?.paired !== undefined;
    const left = isOfPlan ? ofPlan : await leftOutOfReference(deps, row);
    if (left !== null) found[group] = left;
  }
  return found;
}

/**
 * Count the households without a device, registered before the draw, that are not in the reference frame although they live in a region
 * of the plan or of that frame. Null where the frame is not stored here.
 */
async function leftOutOfReference(
  { campaigns, devices, registry }: Pick<CampaignDeps, "campaigns" | "devices" | "registry">,
  row: CampaignRow,
): Promise<number | null> {
  const frame = await campaigns.householdsOf(row, "reference");
  if (frame === null) return null;
  const inFrame = new Set(frame);
  const { regions: ofPlan } = await registry.plans.termsOf(row.plan);
  const ofFrame = [...(await registry.households.byIndexes([...inFrame])).values()].map(({ region }) => region);
  const { startDate: from, endDate: to } = periodOf(row, "reference");
  const equipped = await devices.householdsIn({ from, to });
  // A plan that names no region has all.
  const regions = ofPlan.length === 0 ? null : [...ofPlan, ...ofFrame];
  const registered = await registry.households.indexesIn(regions, await drawTimeOf({ registry }, row));
  return registered.filter((household) => !inFrame.has(household) && !equipped.has(household)).length;
}
