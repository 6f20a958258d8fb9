import { z } from "@hono/zod-openapi";
import { exactDecimal, integer } from "../../platform/values/numbers.ts";
import { type Decimal, decimal } from "./decimal.ts";
import { type RenewabilityArea, renewabilityAreas } from "./defaults.ts";
import { pairLimits } from "./methods/method.ts";
import { smec4Limits } from "./methods/smec-4.ts";

/** Most decimals of a figure. */
const decimals = 18;

/** Exact decimal with every digit of the body's JSON number, within its limits. */
export function figure(min: Decimal | number, max: Decimal | number, description: string) {
  const scaled = exactDecimal({ decimals, min: toScaled(min), max: toScaled(max) });
  return scaled
    .transform((value) => decimal(value).div(decimal(10).pow(decimals)))
    .openapi({ type: "number", minimum: Number(min), maximum: Number(max), description });
}

function toScaled(value: Decimal | number): bigint {
  return BigInt(decimal(value.toString()).times(decimal(10).pow(decimals)).toFixed(0));
}

const limited = (field: keyof typeof pairLimits, description: string) =>
  figure(
    0,
    pairLimits[field].max,
    `${description}${pairLimits[field].unit === "" ? "" : `, ${pairLimits[field].unit}`}.`,
  );

const pair = z
  .strictObject({
    usage: limited("usage", "Share of the units in use; its lower bound when surveyed"),
    ncv: limited("ncv", "Net calorific value"),
    ef_co2: limited("ef_co2", "CO2 of burning"),
    fnrb: limited("fnrb", "Fraction of non-renewable biomass"),
    ef_nonco2: limited("ef_nonco2", "Other gases of burning"),
    n_stoves: limited("n_stoves", "Number of units"),
    p_fuel: limited("p_fuel", "Fuel of one unit in a year, adjusted already"),
  })
  .openapi("EmissionsPair");

const baselinePairs = z.array(pair).min(1).max(1000);
const activityPairs = z.array(pair).max(1000);

/** Year of the reduction and, where the area is named, the rule on fNRB. */
const common = {
  vintage: integer(1990, 9999).optional().openapi({ description: "Calendar year of the reduction." }),
  fnrbArea: z
    .enum(renewabilityAreas as [RenewabilityArea, ...RenewabilityArea[]])
    .optional()
    .openapi({
      description: "Holds every fnrb against the registry's default of this country (SSA: sub-Saharan Africa).",
    }),
  fnrbApproval: z.string().min(1).max(256).optional().openapi({
    description:
      "Id of the regulator's parameter that approves an fnrb above the default, such as PRM-31; with fnrbArea.",
  }),
};

const smec4Params = z.strictObject({
  daf: figure(smec4Limits.daf.min, smec4Limits.daf.max, "Downward adjustment factor."),
  newUnits: figure(smec4Limits.newUnits.min, smec4Limits.newUnits.max, "Units that were new in the year."),
  life: figure(smec4Limits.life.min, smec4Limits.life.max, "Technical life of a unit, years."),
  creditingYear: integer(1, 100)
    .optional()
    .openapi({ description: "Which year of the new units this is; 1 when absent." }),
  he: figure(smec4Limits.he.min, smec4Limits.he.max, "Hawthorne effect: share of the measured saving that stays."),
  ...common,
});

const tpddtecParams = z.strictObject({
  leakage: figure(0, 1_000_000_000_000, "Leakage that the project's assessment found, tCO2e in the year."),
  ...common,
});

const workedPair = { usage: 0.92, ncv: 0.0156, ef_co2: 112, fnrb: 0.8, ef_nonco2: 4.8, n_stoves: 1000 };
const workedCase = {
  method: "smec-4",
  baselinePairs: [{ ...workedPair, p_fuel: 2.1375 }],
  activityPairs: [{ ...workedPair, p_fuel: 1.3 }],
  params: { daf: 0.1, newUnits: 1000, life: 3, vintage: 2026, he: 0.9 },
};

export const calculationRequest = z
  .discriminatedUnion("method", [
    z.strictObject({ method: z.literal("smec-4"), baselinePairs, activityPairs, params: smec4Params }),
    z.strictObject({ method: z.literal("tpddtec"), baselinePairs, activityPairs, params: tpddtecParams }),
  ])
  .openapi("EmissionsCalculationRequest", { example: workedCase });
export type CalculationRequest = z.output<typeof calculationRequest>;

const exact = z.number().openapi({ description: "tCO2e, every digit." });

export const calculation = z
  .object({
    be: exact,
    ae: exact,
    le: exact,
    er: exact,
    lines: z.array(z.object({ name: z.string(), value: z.number(), unit: z.string(), source: z.string() })),
  })
  .openapi("EmissionsCalculation");
export type Calculation = z.infer<typeof calculation>;
