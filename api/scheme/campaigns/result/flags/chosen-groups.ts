import type { RuleDetail } from "../../../../platform/errors.ts";
import {
  decimal,
  displayText,
  type Flag,
  readsMeters,
  type Saving,
  standardAdultTenths,
} from "../../../emissions/index.ts";
import { type Group, groups } from "../../groups.ts";
import type { DeviceHouseholds } from "../inputs/counted-devices.ts";
import { type EmissionsTerms, valueUnitOf } from "../inputs/emissions-terms.ts";
import { type MeasuredHousehold, unitNames } from "../inputs/households.ts";

type Measured = Record<Group, readonly Pick<MeasuredHousehold, "members">[]>;
type Frames = {
  sampleSize: number;
  frameSizes: Record<Group, number>;
  deviceHouseholds?: DeviceHouseholds | undefined;
  terms: EmissionsTerms;
};

/** Flag groups that were picked by hand: frames without a draw, and groups whose households differ in size, or may do so. */
export function chosenGroupFlags(campaign: Frames, measured: Measured): Flag[] {
  return [...frameFlags(campaign), ...sizeFlags(measured), ...unknownSizeFlags(campaign.terms, measured)];
}

/** Nothing is drawn of a frame that is its sample: who wrote the frame chose each household. */
function frameFlags({ sampleSize, frameSizes, deviceHouseholds }: Frames): Flag[] {
  return groups.flatMap((group): Flag[] => {
    const size = frameSizes[group];
    if (deviceHouseholds === undefined || size > sampleSize || size >= deviceHouseholds.ofPlan) return [];
    const message = `The ${group} frame has the ${size} households of its sample, so none was drawn by chance. The plan has ${deviceHouseholds.ofPlan} households with a device.`;
    return [{ group, rule: "frame-is-sample", message, positions: [] }];
  });
}

/** Most by which the larger group's mean size may exceed the smaller's, in percent: a limit of the scheme. */
const mostSizeDifference = 25;

function sizeFlags(measured: Measured): Flag[] {
  const mean = (group: Group) => {
    const sizes = knownTenths(measured[group]);
    return sizes.length === 0
      ? null
      : decimal(sizes.reduce((sum, each) => sum + each, 0))
          .div(10)
          .div(sizes.length);
  };
  const [reference, intervention] = [mean("reference"), mean("intervention")];
  if (reference === null || intervention === null) return [];
  const [smaller, larger] = reference.lt(intervention) ? [reference, intervention] : [intervention, reference];
  if (larger.times(100).lte(smaller.times(100 + mostSizeDifference))) return [];
  const [ofReference, ofIntervention] = [displayText(reference, 2), displayText(intervention, 2)];
  const message = `The registered members make ${ofReference} standard adults in a reference household and ${ofIntervention} in an intervention household on average, which differ by more than ${mostSizeDifference} %.`;
  return [{ group: "reference", rule: "household-sizes-differ", message, positions: [] }];
}

/** Where no members are registered, `savingPerAdultProblems` says nothing. Then households of different size could have been picked. */
function unknownSizeFlags(terms: EmissionsTerms, measured: Measured): Flag[] {
  if (!restsOnSaving(terms) || groups.some((group) => measured[group].length === 0)) return [];
  if (knownAdults(measured) !== null) return [];
  const message =
    "No measured household has registered members. So nothing shows whether the households of both groups differ in size, and what a standard adult saves is not judged.";
  return [{ group: "reference", rule: "household-sizes-unknown", message, positions: [] }];
}

/** The fewest and the most tenths of a standard adult of the measured households whose members are known; null if no household's are. */
export function knownAdults(measured: Measured): { fewest: number; most: number } | null {
  const known = groups.flatMap((group) => knownTenths(measured[group]));
  if (known.length === 0) return null;
  return { fewest: known.reduce((a, b) => Math.min(a, b)), most: known.reduce((a, b) => Math.max(a, b)) };
}

/** Tenths of a standard adult of each household whose members are known. */
function knownTenths(households: Measured[Group]): number[] {
  return households
    .map(({ members }) => (members === null ? 0 : standardAdultTenths(members)))
    .filter((tenths) => tenths > 0);
}

/** Whether the members of every measured household are known. */
export function areAllSized(measured: Measured): boolean {
  return groups.every((group) => knownTenths(measured[group]).length === measured[group].length);
}

/** Whether the reduction rests on the saving between the groups. */
const restsOnSaving = ({ baseline, method }: EmissionsTerms) => baseline !== "minimum-service" && !readsMeters(method);

/** `perStandardAdult`: null where it says nothing, because no members are registered. */
type Savings = { terms: EmissionsTerms; saving: Saving; perStandardAdult: Saving | null };

/**
 * A saving of a household that is none of a standard adult is a difference in size. It concerns a reduction that rests on the saving
 * between the groups.
 */
export function savingPerAdultProblems({ terms, saving, perStandardAdult }: Savings): RuleDetail[] {
  if (!restsOnSaving(terms)) return [];
  if (saving.mean === null || !saving.mean.gt(0)) return [];
  if (perStandardAdult === null || perStandardAdult.mean === null || perStandardAdult.mean.gt(0)) return [];
  const message = `A ${unitNames[valueUnitOf(terms)]} saves ${displayText(saving.mean, 3)} kg a day, a standard adult of the registered members ${displayText(perStandardAdult.mean, 3)} kg: the groups differ in the size of their households.`;
  return [{ path: "perStandardAdult", rule: "saving-per-adult-positive", message }];
}
