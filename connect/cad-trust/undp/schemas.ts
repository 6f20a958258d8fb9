import { z } from "@hono/zod-openapi";

export const undpProgramme = z
  .object({
    title: z.string(),
    externalId: z.string(),
    sector: z.string(),
    startTime: z.int().openapi({ description: "Seconds since 1970: begin of the crediting period's first day, UTC." }),
    endTime: z.int().openapi({ description: "End of its last day." }),
    article6trade: z.boolean(),
    programmeProperties: z.object({
      geographicalLocation: z.array(z.string()),
      greenHouseGasses: z.array(z.string()),
    }),
    creditEst: z.number().openapi({ description: "Sum of the estimations, every digit." }),
  })
  .openapi("UndpProgramme");
export type UndpProgramme = z.output<typeof undpProgramme>;
export const undpProgrammes = z.array(undpProgramme).openapi("UndpProgrammes");
