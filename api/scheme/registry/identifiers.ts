import { z } from "@hono/zod-openapi";
import { type Hex, keccak256, stringToBytes } from "viem";
import { calendarDate, freeText } from "../../platform/values/text.ts";

/** First and last day, inclusive, UTC. */
export const period = z
  .strictObject({ startDate: calendarDate, endDate: calendarDate })
  .openapi({ description: "First and last day, inclusive, UTC." });
export type Period = z.infer<typeof period>;

/** Why a state was changed; kept on chain, for everyone to read. */
export const reason = freeText(500);

/** What the chain knows a public participant, product, plan or certificate by. */
export function idHash(id: string): Hex {
  return keccak256(stringToBytes(id));
}
