import { type LeftOut, type Method, methods, type Period, withRecordedMinimums } from "../../../emissions/index.ts";
import { type Group, groups } from "../../groups.ts";
import type { CampaignRow } from "../../model.ts";
import { periodOf, type SamplingTerms } from "../../sampling/terms.ts";
import { evaluatedMethods } from "../evaluation.ts";
import { type CommittedParameter, committedMinimums } from "../inputs/committed-parameters.ts";
import { isInFrame, type ListedDevice } from "../inputs/counted-devices.ts";
import type { EmissionsTerms, MethodId } from "../inputs/emissions-terms.ts";

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

/**
 * Count the households that small frames of a campaign leave out, of the plan's devices as listed. For a reference group that is not
 * paired nothing is counted: who could be in it is not on record.
 */
export function leftOutOf(row: CampaignRow, { list, ...frames }: Frames & { list: readonly ListedDevice[] }): LeftOut {
  const { startDate: from, endDate: to } = periodOf(row, "intervention");
  const left = leftOutOfPlan(list, { from, to }, row.frameSizes.intervention);
  const counted = smallGroups(frames).filter((group) => isOfPlan(group, row.terms.sampling));
  return Object.fromEntries(counted.map((group) => [group, left]));
}

/** Whether the households of a group are among those with a device of the plan. */
export const isOfPlan = (group: Group, sampling: SamplingTerms | undefined): boolean =>
  group === "intervention" || sampling?.paired !== undefined;
