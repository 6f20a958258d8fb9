import { z } from "@hono/zod-openapi";
import { CID } from "multiformats";
import { listQuery } from "../../../platform/http/index.ts";
import { exactDecimal } from "../../../platform/values/numbers.ts";
import { did, identifier, timestamp } from "../../../platform/values/text.ts";
import { CURRENCY_DECIMALS, currencies } from "./currency.ts";

export const settlementTypes = ["MOPA", "exchange"] as const;
/** Largest amount of a settlement, in 10^-4 of its currency. A 64-bit float holds it exactly. */
const MAX_AMOUNT = 9_999_999_999_999_999n;

const documentCid = z
  .string()
  .max(128)
  .refine(isCid, { message: "A CID is expected, as the file store gives it.", params: { rule: "cid" } })
  .openapi({ description: "The contract, or the proof of payment, in the file store.", example: "bafkrei…" });

const currency = z
  .enum(currencies)
  .openapi({ type: "string", pattern: "^[A-Z]{3}$", description: "ISO 4217.", example: "CHF" });

export const newSettlement = z
  .strictObject({
    type: z.enum(settlementTypes).openapi({
      description: "MOPA: paid by a Mitigation Outcome Purchase Agreement. exchange: between stablecoin and fiat.",
    }),
    reference: identifier(128).openapi({ description: "The payment's own number; unique within its type." }),
    amount: exactDecimal({ decimals: CURRENCY_DECIMALS, min: 1n, max: MAX_AMOUNT }),
    currency,
    documentCid,
  })
  .openapi("NewItmoSettlement");
export type NewSettlement = z.infer<typeof newSettlement>;

export const settlement = z
  .object({
    settlementId: z.string(),
    type: z.enum(settlementTypes),
    reference: z.string(),
    subjectId: z.string().openapi({ description: "The conversion, block or claim that was settled." }),
    conversionId: z.string().nullable().openapi({ description: "Null for a claim." }),
    firstId: z.string().nullable().openapi({ description: "Of a block: its first serial when it was recorded." }),
    lastId: z.string().nullable(),
    partyDid: did.openapi({ description: "Whose money it is: the implementer, or a claim's supplier." }),
    amount: z.number(),
    currency: z.string(),
    documentCid: z.string(),
    recordHash: z.string().openapi({ description: "SHA-256, hexadecimal; docs/itmo.md says of what." }),
    recordedBy: z.string().openapi({ description: "Role of the key that recorded it." }),
    recordedAt: z.iso.datetime(),
  })
  .openapi("ItmoSettlement");
export type Settlement = z.infer<typeof settlement>;

const money = z.number().openapi({ type: "number" });
export const reconciliation = z.array(
  z
    .object({
      currency: z.string(),
      MOPA: money.openapi({ description: "Paid by purchase agreements (step 5)." }),
      exchange: money.openapi({ description: "Exchanged for stablecoin by implementers (step 6)." }),
      open: money.openapi({ description: "Paid and not exchanged; negative when more was exchanged than paid." }),
      supplierExchange: money.openapi({ description: "Exchanged from stablecoin by suppliers (step 2)." }),
    })
    .openapi("SettlementTotal"),
);

export const settlementPage = z
  .object({
    items: z.array(settlement),
    nextCursor: z.string().nullable(),
    totals: reconciliation.openapi({ description: "Over everything that the filters leave, not only this page." }),
  })
  .openapi("SettlementPage");
export type SettlementPage = z.infer<typeof settlementPage>;

export const settlementsOfParams = z.object({
  id: identifier(128).openapi({
    param: { name: "id", in: "path" },
    description: "A conversion (CONV-…), a block (ITMO-…, unique id, serial), or a paid claim (CLM-…).",
  }),
});
export const settlementsOfQuery = listQuery.extend({ type: z.enum(settlementTypes).optional() });
export const settlementQuery = settlementsOfQuery.extend({
  partyDid: did.optional(),
  from: timestamp.optional().openapi({ description: "Recorded at or after." }),
  to: timestamp.optional().openapi({ description: "Recorded before." }),
});
export type SettlementQuery = z.infer<typeof settlementQuery>;

function isCid(text: string): boolean {
  try {
    CID.parse(text);
    return true;
  } catch {
    return false;
  }
}
