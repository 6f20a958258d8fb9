import { z } from "@hono/zod-openapi";
import { listQuery, page } from "../../../platform/http/index.ts";
import { nullableAmountInResponse, positiveCarbonAmount } from "../../../platform/values/numbers.ts";
import { did, freeText, identifier } from "../../../platform/values/text.ts";
import { newPrice, price } from "./prices.ts";

const productId = identifier(128).openapi({ example: "PROD-789" });

export const newProduct = z
  .strictObject({
    productId,
    name: freeText(200),
    category: freeText(100),
    unit: freeText(50),
    maxAmountPerRedemption: positiveCarbonAmount.optional(),
    price: newPrice.optional(),
    implementerDid: did
      .optional()
      .openapi({ description: "The owner; absent: the key's own implementer, else the scheme." }),
  })
  .openapi("NewProduct");
export type NewProduct = z.infer<typeof newProduct>;

export const productChange = z
  .strictObject({
    status: z.enum(["approved", "withdrawn"]).optional(),
    price: newPrice.nullable().optional().openapi({ description: "null removes it." }),
  })
  .refine(({ status, price: next }) => status !== undefined || next !== undefined, {
    path: ["status"],
    message: "Give a status, a price, or both.",
    params: { rule: "required" },
  })
  .openapi("ProductChange");
export type ProductChange = z.infer<typeof productChange>;

export const product = z
  .object({
    productId,
    status: z.enum(["pending", "approved", "withdrawn"]),
    name: z.string(),
    category: z.string(),
    unit: z.string(),
    maxAmountPerRedemption: nullableAmountInResponse.openapi({ description: "CARBON; null for no limit." }),
    price: price.nullable().openapi({ description: "Of one unit; null: none is set. It is not on the chain." }),
    implementerDid: did.nullable(),
    index: z.number().int().openapi({ description: "The product's number on chain, from 1." }),
    registeredAt: z.iso.datetime(),
    transactionHash: z.string(),
  })
  .openapi("Product");
export type Product = z.infer<typeof product>;

export const productPage = page(product).openapi("ProductPage");
export const productQuery = listQuery;
export const productParams = z.object({ productId: productId.openapi({ param: { name: "productId", in: "path" } }) });
