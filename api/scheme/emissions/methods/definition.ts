import type { RuleDetail } from "../../../platform/errors.ts";
import type { Decimal } from "../decimal.ts";
import type { Carrier, FuelId, GwpSet } from "../fuels.ts";

/** Where the value of a parameter comes from when the input does not give it. */
export type DefaultValue =
  | { readonly kind: "value"; readonly value: Decimal }
  /** A factor of the row's fuel, from the list of fuels. */
  | { readonly kind: "fuel"; readonly factor: "ncv" | "efCo2" | "fnrb" | "efNonCo2" }
  /** A figure for each fuel; a row of another fuel has no default. */
  | { readonly kind: "table"; readonly values: Readonly<Partial<Record<FuelId, Decimal>>> }
  /** A formula of other symbols. */
  | { readonly kind: "formula"; readonly expression: string };

/** A figure that a method needs. Without a default it must be given. */
export type Parameter = {
  readonly symbol: string;
  readonly name: string;
  readonly unit: string;
  /** Paragraph, table or equation that asks for it or gives its default. */
  readonly source: string;
  readonly min: Decimal;
  readonly max: Decimal;
  readonly default: DefaultValue | null;
  /** The method fixes it: the input may not give it. */
  readonly isFixed: boolean;
  /** Fuels whose rows need it; a parameter of the whole calculation, and one that every row needs, has none. */
  readonly carriers?: readonly Carrier[] | undefined;
};

export type Side = "baseline" | "project";
export const sides: readonly Side[] = ["baseline", "project"];

/** A formula as data. With `rows` it is evaluated for every fuel of a side, and `sum(symbol)` adds the results. */
export type Formula = {
  readonly symbol: string;
  readonly name: string;
  readonly unit: string;
  readonly expression: string;
  readonly source: string;
  readonly rows?: { readonly side: Side; readonly carriers?: readonly Carrier[] | undefined } | undefined;
};

type Minimum = { readonly value: number; readonly source: string };

/** What a measurement must reach before a result can be certified. */
export type Minimums = {
  /** Measured households of each group. */
  readonly sample: Minimum;
  /** Days of a kitchen performance test. */
  readonly days: Minimum;
  /** Surveyed devices, in all and of each age. */
  readonly usageSurvey: { readonly total: number; readonly perCohort: number; readonly source: string };
  /**
   * `mean`: each group's mean is used where its half-width is at most `limit` of it, else the bound that lowers the reduction.
   * `saving`: the mean saving is used where its half-width is at most `limit` of it, else its lower bound.
   */
  readonly precision: { readonly of: "mean" | "saving"; readonly limit: Decimal; readonly source: string };
};

/** What one fuel contributes on one side; `values` by symbol. */
export type FuelRow = {
  readonly fuel: FuelId;
  readonly values: Readonly<Record<string, Decimal>>;
  /**
   * Of dry mass: tonnes without water that have the energy of one tonne as it is usually weighed. Figures of a method's table, such as
   * a cap on fuel, are tonnes as weighed; times this they are the dry mass of the same energy.
   */
  readonly dryTonnes?: Decimal | undefined;
};

export type MethodInputs = {
  readonly parameters: Readonly<Record<string, Decimal>>;
  /** Fuels that one household or several households burn; their emissions add up. */
  readonly baseline: readonly FuelRow[];
  readonly project: readonly FuelRow[];
  /** AR5 when absent. */
  readonly gwp?: GwpSet | undefined;
};

/** A figure that the calculation used, with its origin. */
export type UsedValue = {
  readonly symbol: string;
  readonly name: string;
  /** The side and fuel of a row; null for a parameter of the whole calculation. */
  readonly of: string | null;
  readonly value: Decimal;
  readonly unit: string;
  readonly source: string;
};

/** One evaluated formula. */
export type Step = {
  readonly symbol: string;
  readonly name: string;
  readonly of: string | null;
  /** Such as `BE = max(min(BAU * (1 - DAF), BAU), 0)`. */
  readonly formula: string;
  readonly values: readonly { readonly symbol: string; readonly value: Decimal }[];
  readonly result: Decimal;
  readonly unit: string;
  readonly source: string;
};

/** tCO2e of the period, exact. */
export type MethodResult = {
  readonly method: string;
  readonly version: string;
  readonly baseline: Decimal;
  readonly project: Decimal;
  readonly leakage: Decimal;
  readonly reductions: Decimal;
  readonly values: readonly UsedValue[];
  readonly steps: readonly Step[];
};

/** Symbols by which a method reads what a kitchen performance test and the device registry measured. */
export type TestSymbols = {
  /** Fuel of one device: t (or MWh) a year or a day. */
  readonly fuel: { readonly symbol: string; readonly per: "year" | "day" };
  /** Devices, in device-years or device-days. */
  readonly devices: { readonly symbol: string; readonly per: "year" | "day" };
  readonly usage: string;
  /** Devices installed in the period. */
  readonly newDevices: string | null;
  /** People in a household, for a cap; null where the method has none. */
  readonly householdSize: string | null;
};

/** Symbols by which a method reads the energy that the meters of the project's devices counted. */
export type MeteredSymbols = {
  /** Fuel that the meters counted, t (MWh of electricity), in a row of the project. */
  readonly amount: string;
  /** Share of the baseline's energy, in a row of the baseline. */
  readonly share: string;
  /** The emission factor of a row of the baseline × its share. */
  readonly factor: string;
  /** People who use the metered devices. */
  readonly users: string;
  /** Share of the devices whose meters report. */
  readonly coverage: string;
  /** Devices installed in the period. */
  readonly newDevices: string;
};

export type MethodDefinition = {
  readonly id: string;
  readonly version: string;
  readonly title: string;
  readonly parameters: readonly Parameter[];
  readonly rows: Readonly<Record<Side, readonly Parameter[]>>;
  readonly formulas: readonly Formula[];
  /** The symbols of the four results. */
  readonly results: {
    readonly baseline: string;
    readonly project: string;
    readonly leakage: string;
    readonly reductions: string;
  };
  /** Symbols of the figures that adjust the reduction: factors, caps and leakage. Reports list them. */
  readonly adjustments: readonly string[];
  readonly minimums: Minimums;
  /** Null where the method does not use a kitchen performance test. */
  readonly test: TestSymbols | null;
  /** Absent where the method does not use metered devices, or no campaign measures everything that it needs. */
  readonly metered?: MeteredSymbols | undefined;
  /** Rules of the method that ranges cannot say. */
  readonly check?: (inputs: MethodInputs) => RuleDetail[];
};

/** A method of calculating an emission reduction. */
export type Method = MethodDefinition & {
  /**
   * Calculate the reduction of a period, exact.
   * @throws AppError RULE_VIOLATION naming every broken rule
   */
  readonly calculate: (inputs: MethodInputs) => MethodResult;
};
