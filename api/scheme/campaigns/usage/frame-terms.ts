import { z } from "@hono/zod-openapi";

const count = z.number().int().min(0);

/**
 * The devices that a usage survey is drawn from, as the campaign's terms commit them on chain before the draw: one of each household of
 * the intervention frame that is in place on `day`, by age on that day. `root` is the Merkle root of their keyed hashes.
 */
export const usageFrame = z.object({
  day: z.string(),
  root: z.string().regex(/^0x[0-9a-f]{64}$/),
  cohorts: z.array(z.object({ age: count, devices: count, sample: count })),
});
export type UsageFrame = z.infer<typeof usageFrame>;
