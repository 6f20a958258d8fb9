import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { create as contentDisposition } from "content-disposition";
import {
  type AppEnv,
  createRouter,
  errorResponses,
  listQuery,
  onlyFor,
  requestContext,
  streamResponse,
} from "../../platform/http/index.ts";
import { jsonBody, jsonContent } from "../registry/index.ts";
import { READ_SCOPE, WRITE_SCOPE } from "./access.ts";
import { getBatch, listBatches, makeBatch } from "./batches.ts";
import type { CardDeps } from "./deps.ts";
import * as schemas from "./schemas.ts";
import { activateCard, blockCard, getCard, linkCard, listCards, replaceCard } from "./service.ts";
import { sheetsOf } from "./sheets/service.ts";

const tags = ["Cards"];
const writers = onlyFor(["implementer"], WRITE_SCOPE);
const readers = onlyFor(["implementer", "evaluator", "regulator"], READ_SCOPE, WRITE_SCOPE);
const cardIs = (description: string) => jsonContent(schemas.card, description);

const make = createRoute({
  method: "post",
  path: "/card-batches",
  callers: writers,
  tags,
  summary: "Make a batch of household cards",
  description: "The cards belong to nobody until they are linked. Nothing about a card is on chain.",
  request: { body: jsonBody(schemas.newBatch) },
  responses: { 201: jsonContent(schemas.batch, "The batch"), ...errorResponses(400, 403) },
});

const listMade = createRoute({
  method: "get",
  path: "/card-batches",
  callers: readers,
  tags,
  summary: "List batches of cards",
  request: { query: listQuery },
  responses: { 200: jsonContent(schemas.batchPage, "Oldest first"), ...errorResponses(400) },
});

const getMade = createRoute({
  method: "get",
  path: "/card-batches/{batchId}",
  callers: readers,
  tags,
  summary: "Read a batch of cards",
  request: { params: schemas.batchParams },
  responses: { 200: jsonContent(schemas.batch, "The batch"), ...errorResponses(404) },
});

const sheets = createRoute({
  method: "get",
  path: "/card-batches/{batchId}/sheets",
  callers: readers,
  tags,
  summary: "Read the sheets of a batch as PDF",
  description: "A4 with cut marks. Each card has a QR code, the same code in 12 digits, and how to use it.",
  request: { params: schemas.batchParams, query: schemas.sheetQuery },
  responses: {
    200: {
      description: "The sheets",
      content: { "application/pdf": { schema: { type: "string", format: "binary" } } },
    },
    ...errorResponses(400, 404),
  },
});

const list = createRoute({
  method: "get",
  path: "/cards",
  callers: readers,
  tags,
  summary: "List cards",
  request: { query: schemas.cardQuery },
  responses: { 200: jsonContent(schemas.cardPage, "By batch and place"), ...errorResponses(400, 404) },
});

const getOne = createRoute({
  method: "get",
  path: "/cards/{cardId}",
  callers: readers,
  tags,
  summary: "Read a card and who changed it",
  request: { params: schemas.cardParams },
  responses: { 200: jsonContent(schemas.cardWithChanges, "The card"), ...errorResponses(404) },
});

const link = createRoute({
  method: "post",
  path: "/cards/{cardId}/link",
  callers: writers,
  tags,
  summary: "Link an issued card to a household",
  request: { params: schemas.cardParams, body: jsonBody(schemas.linkRequest) },
  responses: { 200: cardIs("The card, linked"), ...errorResponses(400, 403, 404, 409) },
});

const activate = createRoute({
  method: "post",
  path: "/cards/{cardId}/activate",
  callers: writers,
  tags,
  summary: "Record that the household has its card",
  request: { params: schemas.cardParams },
  responses: { 200: cardIs("The card, active"), ...errorResponses(403, 404, 409) },
});

const block = createRoute({
  method: "post",
  path: "/cards/{cardId}/block",
  callers: writers,
  tags,
  summary: "Block a lost or stolen card",
  request: { params: schemas.cardParams, body: jsonBody(schemas.blockRequest) },
  responses: { 200: cardIs("The card, blocked"), ...errorResponses(400, 403, 404, 409) },
});

const replace = createRoute({
  method: "post",
  path: "/cards/{cardId}/replace",
  callers: writers,
  tags,
  summary: "Give the household another card; the old one ends",
  description: "Both changes are one transaction. Vouchers belong to the household, so its balance stays.",
  request: { params: schemas.cardParams, body: jsonBody(schemas.replaceRequest) },
  responses: { 200: cardIs("The new card, linked"), ...errorResponses(400, 403, 404, 409) },
});

/** Batches of household cards, their sheets, and what happens to a card. */
export function cardRoutes(deps: CardDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(make, async (c) => c.json(await makeBatch(deps, requestContext(c), c.req.valid("json")), 201))
    .openapi(listMade, async (c) => c.json(await listBatches(deps, requestContext(c), c.req.valid("query")), 200))
    .openapi(getMade, async (c) => c.json(await getBatch(deps, requestContext(c), c.req.valid("param").batchId), 200))
    .openapi(sheets, async (c) => {
      const { batchId } = c.req.valid("param");
      const pages = await sheetsOf(deps, requestContext(c), batchId, c.req.valid("query"));
      const headers = {
        "Content-Type": "application/pdf",
        "Content-Disposition": contentDisposition(`cards ${batchId}.pdf`, { type: "attachment" }),
      };
      if (c.req.method === "HEAD") return c.body(null, 200, headers) as never;
      return (await streamResponse(c, pages, { status: 200, headers, log: deps.log })) as never;
    })
    .openapi(list, async (c) => c.json(await listCards(deps, requestContext(c), c.req.valid("query")), 200))
    .openapi(getOne, async (c) => c.json(await getCard(deps, requestContext(c), c.req.valid("param").cardId), 200))
    .openapi(link, async (c) => {
      const { householdDid } = c.req.valid("json");
      return c.json(await linkCard(deps, requestContext(c), c.req.valid("param").cardId, householdDid), 200);
    })
    .openapi(activate, async (c) =>
      c.json(await activateCard(deps, requestContext(c), c.req.valid("param").cardId), 200),
    )
    .openapi(block, async (c) => {
      const { reason } = c.req.valid("json");
      return c.json(await blockCard(deps, requestContext(c), c.req.valid("param").cardId, reason), 200);
    })
    .openapi(replace, async (c) =>
      c.json(await replaceCard(deps, requestContext(c), c.req.valid("param").cardId, c.req.valid("json")), 200),
    );
}
