import { z } from "@hono/zod-openapi";
import { carbonAmount, integer, positiveCarbonAmount } from "../../platform/values/numbers.ts";
import { timestamp } from "../../platform/values/text.ts";

/** Deadline of a swap → unix seconds. */
export const deadline = z
  .union([
    integer(0, Number.MAX_SAFE_INTEGER).transform((seconds) => BigInt(seconds)),
    timestamp.transform((text) => BigInt(Math.max(0, Math.floor(Date.parse(text) / 1000)))),
  ])
  .openapi({ type: ["integer", "string"], description: "Unix seconds, or ISO 8601 with a zone.", example: 1900000000 });

export const amountIn = positiveCarbonAmount.openapi({ description: "What the account gives.", example: 100 });
export const minOut = carbonAmount.openapi({ description: "With amountIn: the least that must come out." });

/** Terms of a swap that the account submits itself. */
export const swapTerms = { amountIn, minOut, deadline };
