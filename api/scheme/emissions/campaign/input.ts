import type { DayCount } from "../dates.ts";
import type { Decimal } from "../decimal.ts";
import type { Device, Period } from "../devices.ts";
import type { FuelId, GwpSet } from "../fuels.ts";
import type { Convention } from "../t-quantile.ts";
import type { UsageCohort } from "../usage-survey.ts";

/** How the two groups belong together: other households, or the same households before and after. */
export type Design = "independent" | "paired";
export const designs: readonly Design[] = ["independent", "paired"];

/** A drawn position: what its household burnt in the whole test, or missing. */
export type SampledPosition = {
  position: number;
  stratum?: string | undefined;
  /** kg (kWh of electricity) in the whole test, by fuel; a fuel that is not named was not burnt. Absent: missing. */
  burnt?: Readonly<Partial<Record<FuelId, Decimal>>> | undefined;
};

export type TestGroup = "reference" | "intervention";
export const testGroups: readonly TestGroup[] = ["reference", "intervention"];

/** Factors of a fuel that the programme gives instead of defaults, by symbol. */
export type FuelFactors = {
  values: Readonly<Record<string, Decimal>>;
  /** Wet wood: the calorific value of the dry fuel and the share of water replace NCV. */
  wet?: { dryNcv: Decimal; moisture: Decimal } | undefined;
};

/** A kitchen performance test with everything that turns it into a reduction. */
export type CampaignInput = {
  method: string;
  convention: Convention;
  design: Design;
  test: { startDate: string; endDate: string; dayCount: DayCount };
  strata?: readonly { name: string; share: Decimal }[] | undefined;
  groups: Readonly<Record<TestGroup, readonly SampledPosition[]>>;
  householdSize: Decimal;
  devices: readonly Device[];
  creditingPeriod: Period;
  usageSurvey: readonly UsageCohort[];
  factors: Readonly<Partial<Record<FuelId, FuelFactors>>>;
  /** Parameters of the method that are neither measured nor counted. */
  parameters: Readonly<Record<string, Decimal>>;
  gwp?: GwpSet | undefined;
};

/** Decimals that a measured amount may have. */
export const measuredDecimals = 18;
