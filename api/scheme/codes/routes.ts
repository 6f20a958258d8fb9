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
import { jsonContent } from "../registry/index.ts";
import type { CodeDeps } from "./deps.ts";
import * as schemas from "./schemas.ts";
import { codeSheets, forgetCodes, getCodeSet, listCodeSets } from "./service.ts";

const tags = ["Codes"];
/** Who issues vouchers prints their codes. */
const callers = onlyFor(["implementer"], "vouchers:issue");
const request = { params: schemas.codeSetParams };

const list = createRoute({
  method: "get",
  path: "/code-sets",
  callers,
  tags,
  summary: "List sets of one-time codes",
  request: { query: listQuery },
  responses: { 200: jsonContent(schemas.codeSetPage, "Oldest first"), ...errorResponses(400) },
});

const getOne = createRoute({
  method: "get",
  path: "/code-sets/{codeSetId}",
  callers,
  tags,
  summary: "Read a set of one-time codes",
  description:
    "It says how many codes each voucher has and whether they can be printed; the codes are only in the sheets.",
  request,
  responses: { 200: jsonContent(schemas.codeSet, "The set"), ...errorResponses(404) },
});

const sheets = createRoute({
  method: "get",
  path: "/code-sets/{codeSetId}/sheets",
  callers,
  tags,
  summary: "Read the households' papers as PDF",
  description: "One A4 page for each household with its voucher and its codes. Who has a page can spend the voucher.",
  request: { ...request, query: schemas.codeSheetQuery },
  responses: {
    200: {
      description: "The papers",
      content: { "application/pdf": { schema: { type: "string", format: "binary" } } },
    },
    ...errorResponses(400, 404, 409, 503),
  },
});

const forget = createRoute({
  method: "post",
  path: "/code-sets/{codeSetId}/forget",
  callers,
  tags,
  summary: "Delete the codes from the service after the papers were handed out",
  description: "The codes stay valid, but nobody can print them again.",
  request,
  responses: { 200: jsonContent(schemas.codeSet, "The set"), ...errorResponses(403, 404) },
});

/** Sets of one-time codes and the households' papers. Codes are made when vouchers are issued. */
export function codeRoutes(deps: CodeDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(list, async (c) => c.json(await listCodeSets(deps, requestContext(c), c.req.valid("query")), 200))
    .openapi(getOne, async (c) =>
      c.json(await getCodeSet(deps, requestContext(c), c.req.valid("param").codeSetId), 200),
    )
    .openapi(sheets, async (c) => {
      const { codeSetId } = c.req.valid("param");
      const pages = await codeSheets(deps, requestContext(c), codeSetId, c.req.valid("query").language);
      const headers = {
        "Content-Type": "application/pdf",
        "Content-Disposition": contentDisposition(`codes ${codeSetId}.pdf`, { type: "attachment" }),
      };
      if (c.req.method === "HEAD") return c.body(null, 200, headers) as never;
      return (await streamResponse(c, pages, { status: 200, headers, log: deps.log })) as never;
    })
    .openapi(forget, async (c) =>
      c.json(await forgetCodes(deps, requestContext(c), c.req.valid("param").codeSetId), 200),
    );
}
