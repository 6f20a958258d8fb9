import { z } from "@hono/zod-openapi";
import { type Address, getAddress, type Hex, keccak256, stringToBytes } from "viem";
import { address, calendarDate, freeText } from "../../platform/http/text.ts";

/** An account that can be paid or can sign: any address but zero → checksummed. */
export const account = address
  .refine((text) => !isZero(text), {
    message: "The zero address is nobody's account.",
    params: { rule: "address" },
  })
  .transform((text): Address => getAddress(text.toLowerCase()));

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

/** Whether an address is the zero address, which stands for none. */
export function isZero(account: Address): boolean {
  return /^0x0{40}$/.test(account);
}
