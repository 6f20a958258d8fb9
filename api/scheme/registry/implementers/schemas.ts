import { z } from "@hono/zod-openapi";
import { listQuery, page } from "../../../platform/http/index.ts";
import { amountInResponse } from "../../../platform/values/numbers.ts";
import { account, did, freeText } from "../../../platform/values/text.ts";
import { pendingAccount } from "../accounts/schemas.ts";
import { reason } from "../identifiers.ts";

export const newImplementer = z.strictObject({ did, account, name: freeText(200) }).openapi("NewImplementer");
export type NewImplementer = z.infer<typeof newImplementer>;

export const implementerChange = z
  .strictObject({ status: z.enum(["suspended", "registered"]), reason })
  .openapi("ImplementerChange");
export type ImplementerChange = z.infer<typeof implementerChange>;

export const implementer = z
  .object({
    did,
    status: z.enum(["registered", "suspended"]).openapi({ description: "A suspended one's account can do nothing." }),
    account: z.string().openapi({ description: "May act for the implementer." }),
    pendingAccount: pendingAccount.nullable().openapi({ description: "The account that is to take its place." }),
    name: z.string(),
    index: z.number().int().openapi({ description: "The implementer's number on chain, from 1." }),
    debt: amountInResponse.openapi({
      description:
        "CARBON of its revoked certificates that still exists, less what was repaid. It holds up conversions.",
    }),
    replacement: amountInResponse.openapi({
      description: "CARBON that it owes the pool for redemptions of revoked certificates. It holds up conversions.",
    }),
    registeredAt: z.iso.datetime(),
    transactionHash: z.string(),
  })
  .openapi("Implementer");
export type Implementer = z.infer<typeof implementer>;

export const implementerPage = page(implementer).openapi("ImplementerPage");
export const implementerQuery = listQuery;
export const implementerParams = z.object({ did: did.openapi({ param: { name: "did", in: "path" } }) });
