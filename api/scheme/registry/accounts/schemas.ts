import { z } from "@hono/zod-openapi";
import { account, did } from "../../../platform/values/text.ts";

export const pendingAccount = z
  .object({
    account: z.string(),
    effectiveFrom: z.iso
      .datetime()
      .openapi({ description: "When it can be put in force; until then the old one stands." }),
    confirmed: z.boolean().openapi({ description: "Whether an evaluator has confirmed it; a household's needs that." }),
  })
  .openapi("PendingAccount");
export type PendingAccount = z.infer<typeof pendingAccount>;

export const newAccount = z.strictObject({ account }).openapi("NewAccount");
export type NewAccount = z.infer<typeof newAccount>;

export type Parties = "implementers" | "suppliers" | "households";

export const accountParams = z.object({ did: did.openapi({ param: { name: "did", in: "path" } }) });

export const partyAccount = z
  .object({
    did,
    account: z.string().nullable().openapi({ description: "The account in force; null while a household has none." }),
    pendingAccount: pendingAccount.nullable(),
    transactionHash: z.string(),
  })
  .openapi("PartyAccount");
export type PartyAccount = z.infer<typeof partyAccount>;
