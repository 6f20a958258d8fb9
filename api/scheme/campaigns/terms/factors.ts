import { z } from "@hono/zod-openapi";
import { identifier } from "../../../platform/values/text.ts";

const words = z.array(identifier(128)).max(100);

/** What may have changed how much fuel was used. A list that is given says what there was, an empty one that there was nothing. */
export const documentedFactors = z
  .strictObject({
    season: identifier(64).optional().openapi({ example: "dry" }),
    culturalEvents: words.optional(),
    occupationalFactors: words.optional(),
  })
  .openapi("DocumentedFactors", {
    description: "A list that is given says what there was, an empty one that there was nothing.",
  });
export type DocumentedFactors = z.output<typeof documentedFactors>;
