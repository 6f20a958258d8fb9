import { z } from "@hono/zod-openapi";
import { listQuery, page } from "../../../api/platform/http/index.ts";
import { amountInResponse, exactDecimal } from "../../../api/platform/values/numbers.ts";
import { timestamp } from "../../../api/platform/values/text.ts";
import { currency } from "../partners/schemas.ts";

const rateNumber = exactDecimal({ decimals: 6, min: 1n, max: 1_000_000_000_000n });

export const newRate = z
  .strictObject({
    currency,
    rate: rateNumber.openapi({ description: "Units of the currency for one unit of stablecoin.", example: 27.15 }),
  })
  .openapi("NewPayoutRate");
export type NewRate = z.output<typeof newRate>;

export const rate = z
  .object({
    id: z.string(),
    currency: z.string(),
    rate: amountInResponse,
    recordedBy: z.string(),
    recordedAt: timestamp,
  })
  .openapi("PayoutRate");
export type Rate = z.output<typeof rate>;
export const ratePage = page(rate).openapi("PayoutRatePage");
export const rateQuery = listQuery.extend({ currency: currency.optional() });
export type RateQuery = z.output<typeof rateQuery>;
