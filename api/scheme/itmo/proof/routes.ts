import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { z } from "zod";
import { type AppEnv, createRouter, errorResponses, jsonContent, limitAddress } from "../../../platform/http/index.ts";
import type { ItmoDeps } from "../deps.ts";
import { proofDocument } from "./schema.ts";

const read = createRoute({
  method: "get",
  path: "/itmo/{id}/proof",
  tags: ["ITMO"],
  security: [],
  summary: "Prove a minting, transfer, use or cancellation to anyone who has a node",
  description:
    "A block header, a receipt and its Merkle-Patricia inclusion proof, with a signed ItmoTransferCredential of the same facts. " +
    "`npm run verify-proof -- file.json` checks the response offline.",
  request: {
    params: z.object({ id: z.string().min(1).max(256) }),
    query: z.object({
      action: z
        .string()
        .regex(/^\d{1,6}$/, "The number of an event is expected.")
        .optional()
        .describe("Number of the units' event: 0 is the minting. Absent: the latest."),
    }),
  },
  middleware: [limitAddress()] as const,
  responses: {
    200: { description: "The proof, a file to keep unchanged", content: jsonContent(proofDocument) },
    ...errorResponses(400, 404, 502, 503),
  },
});

/** Public routes for proofs of the events of ITMOs. */
export function proofRoutes(deps: ItmoDeps): OpenAPIHono<AppEnv> {
  return createRouter().openapi(read, async (c) => {
    const { action } = c.req.valid("query");
    const text = await deps.proofs.read(c.req.valid("param").id, action === undefined ? undefined : Number(action));
    return c.body(text, 200, { "Content-Type": "application/json", "Cache-Control": "no-cache" }) as never;
  });
}
