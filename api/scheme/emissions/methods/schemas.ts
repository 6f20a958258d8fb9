import { z } from "@hono/zod-openapi";
import { fuelIds, type GwpSet, gwpSets } from "../fuels.ts";
import { figure } from "../schemas.ts";
import type { MethodInputs } from "./definition.ts";

/** A figure of any parameter; the method itself checks its range. */
export const anyFigure = figure(-1_000_000_000_000, 1_000_000_000_000, "Exact figure.");
export const figuresBySymbol = z.record(z.string().min(1).max(32), anyFigure);
export const gwpSet = z.enum(Object.keys(gwpSets) as [GwpSet, ...GwpSet[]]);

const row = z
  .object({ fuel: z.enum(fuelIds) })
  .catchall(anyFigure)
  .transform(({ fuel, ...values }) => ({ fuel, values }));

/** The input of a method as JSON: `{parameters, baseline: [{fuel, …}], project: [{fuel, …}], gwp?}`. */
export const methodInputs: z.ZodType<MethodInputs> = z.strictObject({
  parameters: figuresBySymbol,
  baseline: z.array(row).max(1000),
  project: z.array(row).max(1000),
  gwp: gwpSet.optional(),
});
