import type { DayCount } from "../dates.ts";
import type { Decimal } from "../decimal.ts";
import type { Device, DeviceCount, Period } from "../devices.ts";
import type { FuelId, GwpSet } from "../fuels.ts";
import type { RecordedMinimum } from "../methods/minimums.ts";
import type { Ratio } from "../statistics.ts";
import type { Convention } from "../t-quantile.ts";
import type { UsageCohort, UsageSurvey } from "../usage-survey.ts";

/** How the two groups belong together: other households, or the same households before and after. */
export type Design = "independent" | "paired";
export const designs: readonly Design[] = ["independent", "paired"];

/** Whose fuel a day a household's value is: its own, that of each person in it, or that of each standard adult. */
export const valueUnits = ["household", "person", "standard-adult"] as const;
export type ValueUnit = (typeof valueUnits)[number];

/** A drawn position: what its household burnt in the whole test, or missing. */
export type SampledPosition = {
  position: number;
  stratum?: string | undefined;
  /** kg (kWh of electricity) in the whole test, by fuel; a fuel that is not named was not burnt. Absent: missing. */
  burnt?: Readonly<Partial<Record<FuelId, Decimal>>> | undefined;
  /** Instead of `burnt`: kg (kWh) a day, for a household that was measured on other days than the test has. */
  daily?: Readonly<Partial<Record<FuelId, Ratio>>> | undefined;
  /** With `daily`: the days that were measured; absent: those of the test. */
  days?: number | undefined;
};

export type TestGroup = "reference" | "intervention";
export const testGroups: readonly TestGroup[] = ["reference", "intervention"];

/** Devices as the programme states them, where none is registered. Each counts for the whole crediting period. */
export type StatedDevices = { devices: Decimal; newDevices: Decimal };

/** Surveys by age; or one survey of devices of all ages; or the share in use as the programme states it. */
export type UsageInput = readonly UsageCohort[] | UsageSurvey | { share: Decimal };

/** Factors of a fuel that the programme gives instead of defaults, by symbol. */
export type FuelFactors = {
  values: Readonly<Record<string, Decimal>>;
  /** Wet wood: the calorific value of the dry fuel and the share of water replace NCV. */
  wet?: { dryNcv: Decimal; moisture: Decimal } | undefined;
  /** Whether the amounts are dry mass, to which NCV then belongs. */
  isDry?: true | undefined;
};

/** A part of the population, by its share of it or by the number of its households. */
export type StratumInput = { name: string; share: Decimal } | { name: string; households: number };

/** Households that a frame leaves out; of a frame that is not small, nothing is known. */
export type LeftOut = Readonly<Partial<Record<TestGroup, number>>>;

/** A kitchen performance test with everything that turns it into a reduction. */
export type CampaignInput = {
  method: string;
  convention: Convention;
  /** Half-width that the campaign committed, ÷ what the method judges; a stricter one than the method's takes its place. */
  precision?: Decimal | undefined;
  design: Design;
  test: { startDate: string; endDate: string; dayCount: DayCount };
  strata?: readonly StratumInput[] | undefined;
  groups: Readonly<Record<TestGroup, readonly SampledPosition[]>>;
  householdSize: Decimal;
  /** Where amounts are those of a person or a standard adult: how many of them a household counts as. Absent: of a household. */
  value?: { per: Exclude<ValueUnit, "household">; perHousehold: Decimal } | undefined;
  /** Registered devices, or their count in the crediting period; or the number that the programme states. */
  devices: readonly Device[] | DeviceCount | StatedDevices;
  creditingPeriod: Period;
  usageSurvey: UsageInput;
  /** Day of the usage survey, on which each device has one age; absent: a device changes its age on each anniversary. */
  surveyedOn?: string | undefined;
  factors: Readonly<Partial<Record<FuelId, FuelFactors>>>;
  /** Parameters of the method that are neither measured nor counted. */
  parameters: Readonly<Record<string, Decimal>>;
  gwp?: GwpSet | undefined;
  /** Of a method that reads meters: the fuel that the meters of the intervention households count. */
  meteredFuel?: FuelId | undefined;
  /** Option B: the baseline is the minimum service level instead of the reference group's use. */
  baseline?: "measured" | "minimum-service" | undefined;
  /** What the regulator asks of the method's tests; where it is stricter, it takes the place of the method's own minimum. */
  minimums?: readonly RecordedMinimum[] | undefined;
  /** Households that could be drawn. A group with fewer than the minimum sample is measured as a whole. */
  frameSizes?: Readonly<Record<TestGroup, number>> | undefined;
  /**
   * Households that each frame below the minimum sample leaves out, although they could be in it. Absent from results of earlier
   * versions, which asked a small frame for nothing.
   */
  leftOut?: LeftOut | undefined;
};

/** Decimals that a measured amount may have. */
export const measuredDecimals = 18;
