import { z } from "@hono/zod-openapi";
import { integer } from "../../../platform/values/numbers.ts";
import { dayCounts } from "../dates.ts";
import { fuelIds } from "../fuels.ts";
import { minimumNames } from "../methods/minimums.ts";
import { anyFigure, figuresBySymbol, gwpSet } from "../methods/schemas.ts";
import { conventions } from "../t-quantile.ts";
import { type CampaignInput, designs } from "./input.ts";

const date = z.string().max(10);
const fuel = z.enum(fuelIds);
const name = z.string().min(1).max(64);
const positionNumber = integer(0, 1_000_000);

const positions = z
  .array(
    z.strictObject({
      position: positionNumber,
      stratum: name.optional(),
      burnt: z.partialRecord(fuel, anyFigure).optional(),
    }),
  )
  .max(100_000);

const factors = z
  .object({ dryNcv: anyFigure.optional(), moisture: anyFigure.optional() })
  .catchall(anyFigure)
  .transform(({ dryNcv, moisture, ...values }, context) => {
    if (dryNcv !== undefined && moisture !== undefined) return { values, wet: { dryNcv, moisture } };
    if (dryNcv !== undefined || moisture !== undefined) {
      const message = "dryNcv and moisture are given together.";
      context.addIssue({ code: "custom", message, params: { rule: "wet-complete" } });
    }
    return { values };
  });

/** A campaign as JSON. Amounts are kg, or kWh of electricity, in the whole test; a position without `burnt` is missing. */
export const campaignInput: z.ZodType<CampaignInput> = z.strictObject({
  method: z.string().max(64),
  convention: z.enum(conventions),
  design: z.enum(designs),
  test: z.strictObject({ startDate: date, endDate: date, dayCount: z.enum(dayCounts) }),
  strata: z
    .array(
      z.union([
        z.strictObject({ name, share: anyFigure }),
        z.strictObject({ name, households: integer(1, 1_000_000_000) }),
      ]),
    )
    .min(1)
    .max(100)
    .optional(),
  groups: z.strictObject({ reference: positions, intervention: positions }),
  householdSize: anyFigure,
  value: z.strictObject({ per: z.enum(["person", "standard-adult"]), perHousehold: anyFigure }).optional(),
  devices: z
    .array(z.strictObject({ serial: z.string().min(1).max(64), installedOn: date, retiredOn: date.optional() }))
    .max(1_000_000),
  creditingPeriod: z.strictObject({ from: date, to: date }),
  usageSurvey: z
    .array(z.strictObject({ age: integer(1, 100), surveyed: integer(0, 1_000_000), inUse: integer(0, 1_000_000) }))
    .max(100),
  surveyedOn: date.optional(),
  factors: z.partialRecord(fuel, factors),
  parameters: figuresBySymbol,
  minimums: z
    .array(
      z.strictObject({ name: z.enum(minimumNames), value: anyFigure, source: z.string().max(512).default("given") }),
    )
    .max(100)
    .optional(),
  gwp: gwpSet.optional(),
  meteredFuel: fuel.optional(),
});
