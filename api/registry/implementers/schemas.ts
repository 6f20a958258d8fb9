import { z } from "@hono/zod-openapi";
import { listQuery, page } from "../../http/pagination.ts";
import { did, freeText } from "../../http/text.ts";
import { account } from "../identifiers.ts";

export const newImplementer = z.strictObject({ did, account, name: freeText(200) }).openapi("NewImplementer");
export type NewImplementer = z.infer<typeof newImplementer>;

export const implementer = z
  .object({
    did,
    status: z.literal("registered"),
    account: z.string(),
    name: z.string(),
    index: z.number().int().openapi({ description: "The implementer's number on chain, from 1." }),
    registeredAt: z.iso.datetime(),
    transactionHash: z.string(),
  })
  .openapi("Implementer");
export type Implementer = z.infer<typeof implementer>;

export const implementerPage = page(implementer).openapi("ImplementerPage");
export const implementerQuery = listQuery;
export const implementerParams = z.object({ did: did.openapi({ param: { name: "did", in: "path" } }) });
