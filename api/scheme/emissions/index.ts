export { type CampaignOutcome, evaluateCampaign } from "./campaign/evaluate.ts";
export { type Flag, type FlagRule, firstFlagRules, flagRules } from "./campaign/flags.ts";
export type { FuelUse, Reading } from "./campaign/fuel-use.ts";
export { type Household, observationsOf, withMissingFilled } from "./campaign/households.ts";
export { type CampaignInput, type LeftOut, type ValueUnit, valueUnits } from "./campaign/input.ts";
export { testMethods } from "./campaign/problems.ts";
export {
  type DescribedStrata,
  type DescribedStratum,
  describeStrata,
  describeStratifiedSaving,
  strataByShare,
} from "./campaign/strata.ts";
export { testDays } from "./dates.ts";
export { type Decimal, decimal, decimalText, displayText, jsonExact, jsonRounded } from "./decimal.ts";
export { type DefaultFigure, defaultFigures, type FigureKind, figureKinds } from "./default-figures.ts";
export { type RenewabilityArea, renewabilityAreas } from "./defaults.ts";
export { ageOn, countDevices, type Device, type DeviceCount, oneAtATime, type Period } from "./devices.ts";
export { resolveFnrb } from "./fnrb.ts";
export { type FuelId, fuelIds, fuels, type GwpSet, gwpSets, usualGwp } from "./fuels.ts";
export { groupResponse } from "./group-response.ts";
export { adjustmentLine, type Line, line } from "./lines.ts";
export type { Method } from "./methods/definition.ts";
export { pairLimits } from "./methods/method.ts";
export {
  type MinimumLimits,
  minimumLimits,
  minimumNames,
  type RecordedMinimum,
  withRecordedMinimums,
} from "./methods/minimums.ts";
export { type RecordedFigure, recordableFigure } from "./methods/recordable.ts";
export { methods, readsMeters } from "./methods/registry.ts";
export { smec4Limits } from "./methods/smec-4.ts";
export { emissionRoutes } from "./routes.ts";
export { requiredSampleSize } from "./sample-size.ts";
export { type ProfileId, plannedSampleSize, profileIds, samplingProfiles } from "./sampling-profiles.ts";
export { describePairedSaving, describeSaving, type Saving } from "./saving.ts";
export { figure } from "./schemas.ts";
export { type HouseholdMembers, peopleOf, standardAdultTenths, standardAdultTenthsOf } from "./standard-adults.ts";
export { describeRatios, type GroupStatistics, type Ratio } from "./statistics.ts";
export { type Convention, conventions, levelPercent } from "./t-quantile.ts";
export { quantity } from "./units.ts";
export {
  drawUsageSample,
  exactLowerBound,
  type UsageCohort,
  type UsageSurvey,
  usageSampleSizes,
} from "./usage-survey.ts";
