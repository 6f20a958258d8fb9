import { z } from "@hono/zod-openapi";
import { getAddress, isAddress, keccak256, stringToBytes } from "viem";
import { dayOf } from "./days.ts";

/** A DID: opaque, visible ASCII only, so that two that look alike are alike. Up to 256 characters. */
export const did = z
  .string()
  .max(256)
  .regex(/^did:[a-z0-9]+:[\x21-\x7e]+$/, "must be a DID: did:<method>:<identifier>")
  .openapi({ example: "did:ixo:household/123" });

/** An identifier that the caller chose (certificate, product, plan, activity): visible ASCII, up to 128 characters. */
export const chosenId = z
  .string()
  .max(128)
  .regex(/^[\x21-\x7e]+$/, "must be 1 to 128 visible ASCII characters without spaces");

// Control, format (zero width, direction), private-use and unassigned characters hide or forge what a person reads.
const HIDDEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Cs}\u2028\u2029]/u;

/** A name for people, in any script, in normal form C, without hidden characters or outer spaces. */
export function displayText(maxLength: number) {
  return z
    .string()
    .min(1)
    .max(maxLength)
    .refine((text) => text === text.trim(), "must not begin or end with a space")
    .refine((text) => !HIDDEN.test(text), "must not contain control or invisible characters")
    .refine((text) => text === text.normalize("NFC"), "must be in Unicode normal form C");
}

/** A reason for people: like a name, but line breaks are allowed. */
export const reason = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .refine((text) => !HIDDEN.test(text.replaceAll(/[\r\n\t]/g, "")), "must not contain invisible characters");

/** An EVM address, with the right checksum if it is in mixed case; the zero address is refused. */
export const account = z
  .string()
  .refine((text) => isAddress(text), "must be an EVM address with a correct checksum")
  .refine((text) => !/^0x0{40}$/.test(text), "must not be the zero address")
  .transform((text) => getAddress(text))
  .openapi({ type: "string", example: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" });

/** A date `YYYY-MM-DD` that exists. */
export const date = z
  .string()
  .refine((text) => dayOf(text) !== null, "must be a date YYYY-MM-DD that exists, from 1970 on")
  .openapi({ type: "string", format: "date", example: "2024-03-15" });

export const period = z
  .strictObject({ startDate: date, endDate: date })
  .openapi({ description: "First and last day, inclusive, UTC" });
export type Period = z.infer<typeof period>;

/** What the chain knows a public participant by. */
export function idHash(id: string): `0x${string}` {
  return keccak256(stringToBytes(id));
}
