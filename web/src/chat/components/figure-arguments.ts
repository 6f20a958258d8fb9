import { z } from "zod/mini";
import { parseExact } from "../../../../wire/src/exact.ts";

// Results of the oracle's tools: they are validated before display. Amounts are decimal text.

const amount = z.string().check(z.regex(/^-?\d+(\.\d{1,6})?$/));
/** A number of the API, kept with every digit. */
const exactNumber = z.pipe(
  z.pipe(
    z.unknown(),
    z.transform((value) => String(value)),
  ),
  amount,
);

export const voucherCounts = z.object({
  certificateId: z.nullable(z.string()),
  total: z.number(),
  states: z.array(z.object({ status: z.string(), count: z.number(), carbon: amount, remaining: amount })),
  newest: z.array(z.object({ voucherId: z.string(), status: z.string(), carbon: amount, remaining: amount })),
});

export const amountsOwed = z.object({
  role: z.string(),
  supplierDid: z.nullable(z.string()),
  total: amount,
  owed: z.array(z.object({ status: z.string(), count: z.number(), carbon: amount })),
  paid: z.array(z.object({ asset: z.string(), count: z.number(), amount })),
  debt: amount,
  oldest: z.array(z.object({ redemptionId: z.string(), status: z.string(), carbon: amount, redeemedAt: z.string() })),
});

export const problems = z.object({
  checked: z.number(),
  violated: z.array(z.object({ id: z.string(), title: z.string(), violations: z.number() })),
  unchecked: z.array(z.object({ id: z.string(), title: z.string(), reason: z.string() })),
  stopped: z.array(
    z.object({ what: z.enum(["claims", "vouchers", "certificates"]), status: z.string(), count: z.number() }),
  ),
});

export const weather = z.object({
  city: z.string(),
  temp_c: z.pipe(z.pipe(z.unknown(), z.transform(Number)), z.number()),
  conditions: z.string(),
  source: z.enum(["forecast", "climatology"]),
});

export const whereIs = z.object({
  id: z.string(),
  type: z.string(),
  status: z.nullable(z.string()),
  certificate: z.nullable(z.object({ id: z.string(), status: z.string(), verified: amount, issued: amount })),
  voucher: z.nullable(
    z.object({ id: z.string(), status: z.string(), value: amount, remaining: amount, expiryDate: z.string() }),
  ),
  around: z.object({
    vouchers: z.number(),
    redemptions: z.number(),
    claims: z.number(),
    payments: z.number(),
    swaps: z.number(),
    conversions: z.number(),
    itmoBlocks: z.number(),
  }),
  isPartial: z.boolean(),
});

/** A voucher of the API. */
export const apiVoucher = z.object({
  id: z.string(),
  status: z.string(),
  emissionCertificateId: z.string(),
  value: exactNumber,
  remainingBalance: exactNumber,
  attributes: z.object({ expiryDate: z.string() }),
});

/** Read a tool's result; undefined when it is not what the schema says, such as a truncated one. */
export function readResult<Schema extends z.ZodMiniType>(schema: Schema, output: string | undefined) {
  if (output === undefined) return undefined;
  try {
    return schema.safeParse(parseExact(output)).data as z.output<Schema> | undefined;
  } catch {
    return undefined;
  }
}
