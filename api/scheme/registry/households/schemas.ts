import { z } from "@hono/zod-openapi";
import { listQuery, page } from "../../../platform/http/index.ts";
import { integer } from "../../../platform/values/numbers.ts";
import { account, did, identifier } from "../../../platform/values/text.ts";
import { pendingAccount } from "../accounts/schemas.ts";

const persons = integer(0, 999).optional();

/** Who lives in the household, for consumption per standard adult. A count that is absent is 0. */
export const householdSize = z
  .strictObject({ men: persons, women: persons, children: persons, elderly: persons })
  .transform((size) => ({
    men: size.men ?? 0,
    women: size.women ?? 0,
    children: size.children ?? 0,
    elderly: size.elderly ?? 0,
  }))
  .openapi("HouseholdSize");
export type HouseholdSize = z.infer<typeof householdSize>;

export const newHousehold = z
  .strictObject({
    did,
    account: account.optional().openapi({
      description: "The household's own account, if it signs for itself. It counts once an evaluator has confirmed it.",
    }),
    householdSize: householdSize.optional(),
    region: identifier(128).optional(),
  })
  .openapi("NewHousehold");
export type NewHousehold = z.infer<typeof newHousehold>;

export const householdChange = z.strictObject({ account }).openapi("HouseholdChange");
export type HouseholdChange = z.infer<typeof householdChange>;

export const household = z
  .object({
    did,
    status: z.literal("registered"),
    householdHash: z
      .string()
      .openapi({ description: "What the chain knows the household by: a keyed hash of its DID." }),
    index: z.number().int().openapi({ description: "The household's number on chain, from 1." }),
    account: z.string().nullable(),
    pendingAccount: pendingAccount.nullable().openapi({ description: "The account that is to take its place." }),
    householdSize: householdSize.nullable(),
    region: z.string().nullable(),
    registeredAt: z.iso.datetime(),
    transactionHash: z.string().nullable(),
  })
  .openapi("Household");

export type Household = z.infer<typeof household>;

export const householdPage = page(household).openapi("HouseholdPage");
export const householdQuery = listQuery.extend({ region: identifier(128).optional() });
export const householdParams = z.object({ did: did.openapi({ param: { name: "did", in: "path" } }) });
