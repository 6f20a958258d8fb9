import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { type AppEnv, createRouter, errorResponses, everyKey, requestContext } from "../../platform/http/index.ts";
import { jsonContent } from "../registry/index.ts";
import { type SearchDeps, search } from "./service.ts";

const types = [
  "certificate",
  "campaign",
  "voucher",
  "redemption",
  "claim",
  "kpt-claim",
  "swap",
  "conversion",
  "itmo-block",
  "itmo-serial",
  "transaction",
  "implementer",
  "supplier",
  "product",
  "authorization",
  "approach",
  "household",
] as const;

const searchResult = z
  .object({
    type: z.enum(types),
    id: z.string(),
    name: z.string().nullable().openapi({ description: "Of a certificate found by a serial: the registry." }),
    status: z.string().nullable(),
    index: z.int().nullable().openapi({ description: "Index on chain; null where the id is enough." }),
  })
  .openapi("SearchResult");

const searchResults = z
  .object({
    results: z.array(searchResult),
    more: z.array(z.enum(types)).openapi({ description: "Types of which there are more." }),
  })
  .openapi("SearchResults");

const searchQuery = z.object({
  q: z.string().trim().min(2, "Enter at least 2 characters.").max(128, "Enter at most 128 characters.").openapi({
    description:
      "A public id, a part of a certificate's or campaign's id, a serial, a transaction, a name, a DID or an account.",
    example: "CERT-456",
  }),
});

const read = createRoute({
  method: "get",
  path: "/search",
  callers: everyKey,
  tags: ["Overview"],
  summary: "Search records by id, serial, transaction, account or name",
  description:
    "At most 5 of each type. Households are found by their whole DID, and only by callers that may see them. Without a key, " +
    "`/reports/search` finds the public records.",
  request: { query: searchQuery },
  responses: { 200: jsonContent(searchResults, "The records, exact ids first"), ...errorResponses(400, 503) },
});

/** Search over all records. */
export function searchRoutes(deps: SearchDeps): OpenAPIHono<AppEnv> {
  return createRouter().openapi(read, async (c) =>
    c.json(await search(deps, requestContext(c), c.req.valid("query").q), 200),
  );
}
