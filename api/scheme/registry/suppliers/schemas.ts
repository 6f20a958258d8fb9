import { z } from "@hono/zod-openapi";
import { listQuery, page } from "../../../platform/http/index.ts";
import { account, did, freeText, identifier } from "../../../platform/values/text.ts";
import { pendingAccount } from "../accounts/schemas.ts";
import { reason } from "../identifiers.ts";

export const newSupplier = z
  .strictObject({ did, account, name: freeText(200), region: identifier(128).optional() })
  .openapi("NewSupplier");
export type NewSupplier = z.infer<typeof newSupplier>;

export const supplierChange = z
  .strictObject({ status: z.enum(["suspended", "authorised"]), reason })
  .openapi("SupplierChange");
export type SupplierChange = z.infer<typeof supplierChange>;

export const flagReason = z.strictObject({ reason }).openapi("SupplierFlag");

export const supplier = z
  .object({
    did,
    status: z.enum(["authorised", "suspended"]),
    flagged: z.boolean().openapi({ description: "True while an evaluator reviews every claim of the supplier." }),
    account: z.string().openapi({ description: "Receives payments and may act for the supplier." }),
    pendingAccount: pendingAccount.nullable().openapi({ description: "The account that is to take its place." }),
    name: z.string(),
    region: z.string().nullable(),
    index: z.number().int().openapi({ description: "The supplier's number on chain, from 1." }),
    registeredAt: z.iso.datetime(),
    transactionHash: z.string(),
  })
  .openapi("Supplier");
export type Supplier = z.infer<typeof supplier>;

export const supplierPage = page(supplier).openapi("SupplierPage");
export const supplierQuery = listQuery;
export const supplierParams = z.object({ did: did.openapi({ param: { name: "did", in: "path" } }) });
