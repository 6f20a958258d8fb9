import { z } from "@hono/zod-openapi";

const amount = z.number().openapi({ description: "Exact decimal." });
const count = z.int().openapi({ example: 3 });

export const overviewQuery = z.object({
  since: z.iso.datetime({ offset: true, message: "A time with its offset from UTC is expected." }).optional().openapi({
    description: "When the caller's day began. Default: the UTC day of the latest block.",
    example: "2026-11-26T00:00:00+02:00",
  }),
});
export type OverviewQuery = z.infer<typeof overviewQuery>;

const part = z.object({ count, carbon: amount });

const supplierOverview = z
  .object({
    supplierDid: z.string(),
    today: part.extend({
      paidInStablecoin: amount,
      paidInCarbon: amount,
    }),
    toClaim: part.extend({
      nextDeadline: z.string().nullable().openapi({ description: "When the first of them lapses; null without any." }),
    }),
    inReview: part.openapi({ description: "Claimed, and held for a review or disputed." }),
    paid: z.object({ count, stablecoin: amount, carbon: amount }),
  })
  .openapi("SupplierOverview", { description: "Of a supplier: amounts in CARBON, unless named otherwise." });

const campaignOverview = z
  .object({
    campaignId: z.string(),
    endDate: z.string(),
    drawn: count.openapi({ description: "Households to measure: drawn, and neither replaced nor missing." }),
    measured: count,
    missing: count,
    regions: z.array(z.object({ region: z.string().nullable(), drawn: count, measured: count })),
    days: z.array(z.object({ date: z.string(), measured: count })).openapi({
      description: "Households by the UTC day of their first claim that stands, oldest day first.",
    }),
  })
  .openapi("CampaignOverview");

export const overview = z
  .object({
    asOf: z.string().openapi({ description: "Time of the latest block." }),
    since: z.string(),
    proposals: z.object({ collecting: count, scheduled: count, ready: count }),
    findings: z
      .object({
        open: count,
        answered: count,
        campaigns: z.array(z.object({ campaignId: z.string(), open: count, answered: count })),
      })
      .nullable()
      .openapi({
        description: "Findings that are not closed, in the campaigns that the caller may see; at most 20 campaigns.",
      }),
    supplier: supplierOverview.nullable().openapi({ description: "For a supplier's key." }),
    campaigns: z.array(campaignOverview).openapi({
      description: "The newest drawn campaigns that the caller may see; at most 5.",
    }),
  })
  .openapi("Overview");
export type Overview = z.infer<typeof overview>;
