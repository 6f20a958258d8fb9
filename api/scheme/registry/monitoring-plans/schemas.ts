import { z } from "@hono/zod-openapi";
import { listQuery, page } from "../../../platform/http/index.ts";
import { exactDecimal, integer } from "../../../platform/values/numbers.ts";
import { did, identifier } from "../../../platform/values/text.ts";
import { period } from "../identifiers.ts";
import { DEFAULT_PLAN_ID } from "./terms.ts";

const planId = identifier(128).openapi({ example: "PLAN-1" });
const words = z.array(identifier(128)).max(100);
const distinct = (list: string[]) => new Set(list).size === list.length;
const once = { message: "The list names something twice.", params: { rule: "distinct" } };

export const externalFactors = z
  .strictObject({
    season: identifier(64).optional(),
    culturalEvents: words.default([]),
    occupationalFactors: words.default([]),
  })
  .openapi("ExternalFactors");

export const newPlan = z
  .strictObject({
    planId: planId.refine((id) => id !== DEFAULT_PLAN_ID, {
      message: `"${DEFAULT_PLAN_ID}" is the scheme's own plan.`,
      params: { rule: "reserved" },
    }),
    implementerDid: did,
    period,
    products: words.refine(distinct, once).default([]).openapi({ description: "Empty: every approved product." }),
    claimWindowHours: integer(1, 8760).optional().openapi({ default: 336 }),
    trustedIssuers: z.array(did).max(100).refine(distinct, once).default([]),
    requiredEvidence: words.refine(distinct, once).default([]),
    regions: words.refine(distinct, once).default([]).openapi({ description: "Empty: any region." }),
    season: identifier(64).optional(),
    externalFactors: externalFactors.optional(),
    reviewShare: exactDecimal({ decimals: 4, min: 0n, max: 10_000n })
      .optional()
      .openapi({ description: "Share of claims drawn for review, from 0 to 1, at most 4 decimals.", default: 0 }),
    supplierMayIssue: z.boolean().default(false),
    unconsentedCap: integer(0, 4_294_967_295).optional().openapi({
      description:
        "Whole CARBON that one supplier may redeem in a day under this plan without a household's consent; 0 forbids it. Absent: as in the default plan, which is also the most.",
    }),
  })
  .openapi("NewMonitoringPlan");
export type NewPlan = z.infer<typeof newPlan>;

export const plan = z
  .object({
    planId,
    implementerDid: did.nullable(),
    period: period.nullable(),
    products: z.array(z.string()),
    claimWindowHours: z.number().int(),
    trustedIssuers: z.array(z.string()),
    requiredEvidence: z.array(z.string()),
    regions: z.array(z.string()),
    season: z.string().nullable(),
    externalFactors: externalFactors.nullable(),
    reviewShare: z.number(),
    supplierMayIssue: z.boolean(),
    unconsentedCap: z.number().int().openapi({
      description:
        "Whole CARBON that one supplier may redeem in a day without a household's consent, as the chain has it.",
    }),
    index: z.number().int().openapi({ description: "The plan's number on chain; 0 is the scheme's default." }),
    registeredAt: z.iso.datetime().nullable(),
    transactionHash: z.string().nullable(),
  })
  .openapi("MonitoringPlan");
export type Plan = z.infer<typeof plan>;

export const planPage = page(plan).openapi("MonitoringPlanPage");
export const planQuery = listQuery.extend({ implementerDid: did.optional() });
export const planParams = z.object({ planId: planId.openapi({ param: { name: "planId", in: "path" } }) });
