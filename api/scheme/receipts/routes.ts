import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { type AppEnv, createRouter, errorResponses, jsonContent, limitAddress } from "../../platform/http/index.ts";
import type { ReceiptDeps } from "./deps.ts";
import { receipt, receiptParams } from "./schemas.ts";

const read = createRoute({
  method: "get",
  path: "/receipts/{id}",
  tags: ["Receipts"],
  security: [],
  summary: "Read the signed receipt of a redemption, claim, payment or swap",
  description: "Public facts of the chain, signed by the service's key. Open to everyone; a household is never in it.",
  request: { params: receiptParams },
  middleware: [limitAddress()] as const,
  responses: { 200: { description: "The receipt", content: jsonContent(receipt) }, ...errorResponses(404) },
});

/** Public route of signed receipts. */
export function receiptRoutes(deps: ReceiptDeps): OpenAPIHono<AppEnv> {
  return createRouter().openapi(read, async (c) => {
    return c.json(await deps.receipts.read(c.req.valid("param").id), 200);
  });
}
