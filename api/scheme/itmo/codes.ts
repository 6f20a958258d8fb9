import { z } from "@hono/zod-openapi";

/** A Party: ISO 3166 alpha-3. */
export const partyId = z
  .string()
  .regex(/^[A-Z]{3}$/, "Three capital letters are expected, as ISO 3166 alpha-3 has them.")
  .openapi({ example: "ZMB" });

/** An ITMO registry: a Party and two digits. */
export const itmoRegistryId = z
  .string()
  .regex(/^[A-Z]{3}\d{2}$/, "A Party and two digits are expected, such as ZMB01.")
  .openapi({ example: "ZMB01" });

export const cooperativeApproachId = z
  .string()
  .regex(/^CA\d{4}$/, "CA and four digits are expected, such as CA0001.")
  .openapi({ example: "CA0001" });

export const authorizationId = z
  .string()
  .regex(/^[A-Za-z0-9 -]{1,64}$/, "1 to 64 letters, digits, spaces and hyphens are expected.")
  .refine((text) => text.trim() === text, { message: "No space may stand at either end.", params: { rule: "text" } })
  .openapi({ example: "ZMB-2026-001" });

const maxSerial = 2n ** 64n - 1n;

/** A serial of an ITMO registry, from 1: a number or decimal text → bigint. */
export const itmoSerialNumber = z
  .unknown()
  .transform((value, ctx): bigint => {
    const digits = typeof value === "object" || typeof value === "string" ? String(value) : "";
    const serial = /^\d{1,20}$/.test(digits) ? BigInt(digits) : 0n;
    if (serial >= 1n && serial <= maxSerial) return serial;
    const rule = value === undefined ? "required" : "serial-number";
    const message = "An integer from 1 to 2^64 − 1 is expected, as number or decimal text.";
    ctx.addIssue({ code: "custom", message, params: { rule } });
    return z.NEVER;
  })
  .openapi({
    type: ["integer", "string"],
    description: "Integer from 1 to 2^64 − 1, as a number or decimal text.",
    example: 1,
  });
