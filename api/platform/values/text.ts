import { z } from "@hono/zod-openapi";
import { type Address, getAddress } from "viem";
import { isZero } from "./zero-address.ts";

// Controls, line and paragraph separators, bidirectional controls, zero-width and other invisible format characters:
// two identifiers that look alike must be alike.
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u;
const message = "Control, invisible and direction-changing characters are not allowed here, nor blanks at either end.";

/** Build the schema of an opaque identifier (voucherId, productId, …): 1 to `max` visible characters. */
export function identifier(max = 128) {
  return z
    .string()
    .min(1)
    .max(max)
    .refine((text) => !invisible.test(text) && text.trim() === text, { message, params: { rule: "text" } });
}

/** A DID is an opaque string of up to 256 characters that begins with `did:`. */
export const did = identifier(256)
  .regex(/^did:[a-z0-9]+:\S+$/, "A DID is expected, such as did:example:123.")
  .openapi({ example: "did:ixo:household/123" });

/** Build the schema of text for people (reason, name): 1 to `max` characters, with line breaks but no bidirectional controls. */
export function freeText(max = 1000) {
  return z
    .string()
    .min(1)
    .max(max)
    .refine((text) => text.trim() !== "" && !/[\u200b\u202a-\u202e\u2066-\u2069\ufeff]/u.test(text), {
      message: "The text may not be blank or hold invisible direction controls.",
      params: { rule: "text" },
    });
}

const daysByMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isCalendarDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (match === null) return false;
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && leap ? 29 : (daysByMonth[month - 1] ?? 0);
  return year >= 1970 && day >= 1 && day <= days;
}

/** Calendar date `YYYY-MM-DD` that exists, from 1970 on. */
export const calendarDate = z
  .string()
  .refine(isCalendarDate, { message: "A date that exists is expected, as YYYY-MM-DD.", params: { rule: "date" } })
  .openapi({ type: "string", format: "date", example: "2026-03-15" });

/** Return the first second (00:00:00 UTC) of a calendar date as unix seconds. */
export function startOfDay(date: string): bigint {
  return BigInt(Date.parse(`${date}T00:00:00Z`)) / 1000n;
}

/** Return the last second (23:59:59 UTC) of a calendar date as unix seconds. */
export function endOfDay(date: string): bigint {
  return startOfDay(date) + 86_399n;
}

/** Ethereum address, any letter case. */
export const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, "An address of 20 bytes is expected, as 0x and 40 hexadecimal digits.")
  .transform((text) => text as `0x${string}`)
  .openapi({ type: "string", pattern: "^0x[0-9a-fA-F]{40}$", example: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" });

/** Moment in ISO 8601 with a zone. */
/** 32 bytes in hexadecimal, in lower case from here on. */
export const bytes32 = z
  .string()
  .regex(/^0x[0-9a-fA-F]{64}$/, "32 bytes are expected, as 0x and 64 hexadecimal digits.")
  .transform((text) => text.toLowerCase() as `0x${string}`)
  .openapi({ type: "string", pattern: "^0x[0-9a-fA-F]{64}$" });

export const timestamp = z.iso.datetime({ offset: true }).openapi({ example: "2026-03-15T12:00:00Z" });

/** An account that can be paid or can sign: any address but zero → checksummed. */
export const account = address
  .refine((text) => !isZero(text), {
    message: "The zero address is nobody's account.",
    params: { rule: "address" },
  })
  .transform((text): Address => getAddress(text.toLowerCase()));
