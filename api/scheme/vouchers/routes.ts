import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import {
  type AppEnv,
  type Callers,
  createRouter,
  errorResponses,
  jsonContent,
  listQuery,
  onlyFor,
  requestContext,
} from "../../platform/http/index.ts";
import { startedOperation } from "../../platform/operations/index.ts";
import { productPage } from "../registry/index.ts";
import { issueScope, manageScope, redeemScope, sendCodesScope, voucherReaders } from "./access.ts";
import { nextCode } from "./consent/next-code.ts";
import { readConsentTerms } from "./consent/terms.ts";
import type { VoucherDeps } from "./deps.ts";
import { issueVoucher } from "./issue.ts";
import { startIssueBatch } from "./issue-batch.ts";
import { cancelVoucher, reactivateVoucher, reissueVoucher, suspendVoucher, sweepVoucher } from "./lifecycle.ts";
import { drawQrCode } from "./qr.ts";
import { getProducts, getProof, getVoucher } from "./read.ts";
import { redeemVoucher } from "./redemptions/redeem.ts";
import * as schemas from "./schemas.ts";

const tags = ["Vouchers"];
const params = schemas.voucherParams;

const issue = createRoute({
  method: "post",
  path: "/vouchers/issue",
  callers: onlyFor(["implementer"], issueScope),
  tags,
  summary: "Issue a voucher against a certificate",
  request: { body: { required: true, content: jsonContent(schemas.issueRequest) } },
  responses: {
    201: { description: "The voucher", content: jsonContent(schemas.issuedVoucher) },
    ...errorResponses(400, 403, 409, 503),
  },
});

const issueBatch = createRoute({
  method: "post",
  path: "/vouchers/issue-batch",
  callers: onlyFor(["implementer"], issueScope),
  tags,
  summary: "Issue every allocation of a certificate",
  request: { body: { required: true, content: jsonContent(schemas.issueBatchRequest) } },
  responses: {
    202: { description: "The operation that issues them", content: jsonContent(startedOperation) },
    ...errorResponses(400, 403, 409),
  },
});

const redeem = createRoute({
  method: "post",
  path: "/vouchers/redeem",
  callers: onlyFor(["supplier"], redeemScope),
  guessable: ["pin", "repeat"],
  tags,
  summary: "Redeem part of a voucher at a supplier",
  request: { body: { required: true, content: jsonContent(schemas.redeemRequest) } },
  responses: {
    201: { description: "The redemption", content: jsonContent(schemas.redeemed) },
    ...errorResponses(400, 403, 404, 409, 503),
  },
});

const read = createRoute({
  method: "get",
  path: "/vouchers/{voucherId}",
  callers: voucherReaders,
  tags,
  summary: "Read a voucher from the chain",
  request: { params },
  responses: {
    200: { description: "The voucher", content: jsonContent(schemas.voucher) },
    ...errorResponses(403, 404),
  },
});

const readProducts = createRoute({
  method: "get",
  path: "/vouchers/{voucherId}/products",
  callers: voucherReaders,
  tags,
  summary: "List the products that the voucher pays for",
  description: "Approved products of the voucher's monitoring plan. A page may have fewer items than its limit.",
  request: { params, query: listQuery },
  responses: {
    200: { description: "A page of products", content: jsonContent(productPage) },
    ...errorResponses(400, 403, 404),
  },
});

const readConsents = createRoute({
  method: "get",
  path: "/vouchers/{voucherId}/consents",
  callers: onlyFor(["supplier"], redeemScope),
  tags,
  summary: "Read how the household may agree to a redemption",
  description:
    "Each level of consent: whether the ledger allows it for this voucher, supplier and amount now, and why not. A PIN must also be set.",
  request: { params, query: schemas.consentTermsQuery },
  responses: {
    200: { description: "The levels", content: jsonContent(schemas.consentTerms) },
    ...errorResponses(400, 403, 404),
  },
});

const takeCode = createRoute({
  method: "post",
  path: "/vouchers/{voucherId}/next-code",
  callers: onlyFor([], sendCodesScope),
  secrets: ["code"],
  tags,
  summary: "Take the household's next one-time code, to send it to the household's phone",
  description: "The same code until it is used. Only while the service keeps the codes of the voucher's set.",
  request: { params },
  responses: {
    200: { description: "The code", content: jsonContent(schemas.nextCode) },
    ...errorResponses(400, 403, 404),
  },
});

const readProof = createRoute({
  method: "get",
  path: "/vouchers/{voucherId}/proof",
  callers: voucherReaders,
  tags,
  summary: "Read what opens the voucher on the ledger",
  request: { params },
  responses: { 200: { description: "The proof", content: jsonContent(schemas.proof) }, ...errorResponses(403, 404) },
});

const readQr = createRoute({
  method: "get",
  path: "/vouchers/{voucherId}/qr",
  callers: voucherReaders,
  tags,
  summary: "Draw the voucher's QR code",
  request: { params, query: schemas.qrQuery },
  responses: { 200: { description: "An image, SVG or PNG" }, ...errorResponses(403, 404) },
});

function action<P extends string>(path: P, callers: Callers, summary: string) {
  const responses = {
    200: { description: "The voucher as it is now", content: jsonContent(schemas.changedVoucher) },
    ...errorResponses(400, 403, 404, 409),
  };
  const request = { params, body: { required: true, content: jsonContent(schemas.actionRequest) } };
  return createRoute({ method: "post", path, callers, tags, summary, request, responses });
}

const supervisors = onlyFor(["regulator", "evaluator"]);
const suspend = action("/vouchers/{voucherId}/suspend", supervisors, "Suspend a voucher (regulator, evaluator)");
const reactivate = action("/vouchers/{voucherId}/reactivate", supervisors, "Reactivate a suspended voucher");
const cancel = action(
  "/vouchers/{voucherId}/cancel",
  onlyFor(["implementer"], manageScope),
  "Cancel a voucher; its rest returns to the certificate",
);

const sweep = createRoute({
  method: "post",
  path: "/vouchers/{voucherId}/sweep",
  callers: voucherReaders,
  tags,
  summary: "Move the rest of an expired voucher to the pool's reserve",
  request: { params, body: { content: jsonContent(schemas.optionalReason) } },
  responses: {
    200: { description: "The voucher as it is now", content: jsonContent(schemas.changedVoucher) },
    ...errorResponses(403, 404, 409),
  },
});

const reissue = createRoute({
  method: "post",
  path: "/vouchers/{voucherId}/reissue",
  callers: onlyFor(["implementer"], manageScope),
  tags,
  summary: "Issue the rest of a cancelled voucher as a new one",
  request: { params, body: { content: jsonContent(schemas.reissueRequest) } },
  responses: {
    201: { description: "The new voucher", content: jsonContent(schemas.issuedVoucher) },
    ...errorResponses(400, 403, 404, 409),
  },
});

/** Routes to issue, redeem, read and change vouchers. Lists and history are in list-routes.ts. */
export function voucherRoutes(deps: VoucherDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(issue, async (c) => c.json(await issueVoucher(deps, requestContext(c), c.req.valid("json")), 201))
    .openapi(issueBatch, async (c) => {
      const started = await startIssueBatch(deps, requestContext(c), c.req.valid("json"));
      c.header("Location", started.url);
      return c.json(started, 202);
    })
    .openapi(redeem, async (c) => c.json(await redeemVoucher(deps, requestContext(c), c.req.valid("json")), 201))
    .openapi(read, async (c) => c.json(await getVoucher(deps, requestContext(c), c.req.valid("param").voucherId), 200))
    .openapi(readProducts, async (c) => {
      const { voucherId } = c.req.valid("param");
      return c.json(await getProducts(deps, requestContext(c), voucherId, c.req.valid("query")), 200);
    })
    .openapi(readConsents, async (c) => {
      const { voucherId } = c.req.valid("param");
      return c.json(await readConsentTerms(deps, requestContext(c), voucherId, c.req.valid("query")), 200);
    })
    .openapi(takeCode, async (c) =>
      c.json(await nextCode(deps, requestContext(c), c.req.valid("param").voucherId), 200),
    )
    .openapi(readProof, async (c) =>
      c.json(await getProof(deps, requestContext(c), c.req.valid("param").voucherId), 200),
    )
    .openapi(readQr, async (c) => {
      const accept = c.req.header("accept") ?? "";
      const onlyPng = accept.includes("image/png") && !accept.includes("image/svg");
      const format = c.req.valid("query").format ?? (onlyPng ? "png" : "svg");
      const code = await drawQrCode(deps, requestContext(c), c.req.valid("param").voucherId, format);
      return c.body(code.body, 200, { "Content-Type": code.contentType });
    })
    .openapi(suspend, async (c) => {
      return c.json(
        await suspendVoucher(deps, requestContext(c), { ...c.req.valid("param"), ...c.req.valid("json") }),
        200,
      );
    })
    .openapi(reactivate, async (c) => {
      const input = { ...c.req.valid("param"), ...c.req.valid("json") };
      return c.json(await reactivateVoucher(deps, requestContext(c), input), 200);
    })
    .openapi(cancel, async (c) => {
      return c.json(
        await cancelVoucher(deps, requestContext(c), { ...c.req.valid("param"), ...c.req.valid("json") }),
        200,
      );
    })
    .openapi(sweep, async (c) => c.json(await sweepVoucher(deps, requestContext(c), c.req.valid("param")), 200))
    .openapi(reissue, async (c) => {
      return c.json(
        await reissueVoucher(deps, requestContext(c), { ...c.req.valid("param"), ...c.req.valid("json") }),
        201,
      );
    });
}
