import { z } from "@hono/zod-openapi";
import { type Hex, keccak256, stringToBytes } from "viem";
import { calendarDate, freeText } from "../../platform/values/text.ts";

/** First and last day, inclusive, UTC. */
export const period = z
  .strictObject({ startDate: calendarDate, endDate: calendarDate })
  .openapi({ description: "First and last day, inclusive, UTC." });
export type Period = z.infer<typeof period>;

/** Why a status was changed; public on chain. */
export const reason = freeText(500);

/** Compute the id on chain of a public participant, product, plan or certificate. */
export function idHash(id: string): Hex {
  return keccak256(stringToBytes(id));
}
