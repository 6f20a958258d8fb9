import { createRoute } from "@hono/zod-openapi";
import { AppError } from "../../api/platform/errors.ts";
import {
  type App,
  createRouter,
  errorResponses,
  jsonContent,
  onlyFor,
  rateLimitHeaders,
  requestContext,
} from "../../api/platform/http/index.ts";
import { accountList, accountQuery, newAccount, payoutAccount } from "./accounts/schemas.ts";
import { listAccounts, setAccount } from "./accounts/service.ts";
import type { PayoutDeps } from "./deps.ts";
import { payout, payoutPage, payoutParams, payoutQuery } from "./orders/schemas.ts";
import { getPayout, listPayouts, retryPayout } from "./orders/service.ts";
import { createdPartner, newPartner, partner, partnerList, partnerParams } from "./partners/schemas.ts";
import { closePartner, createPartner, listPartners } from "./partners/service.ts";
import { newRate, rate, ratePage, rateQuery } from "./rates/schemas.ts";
import { listRates, recordRate } from "./rates/service.ts";
import { reconcile } from "./reconciliation/reconcile.ts";
import { reconciliation, reconciliationQuery } from "./reconciliation/schemas.ts";

const tags = ["Payouts"];
const admins = onlyFor([]);
const readers = onlyFor(["supplier", "regulator"], "payouts:read");
/** Each comparison asks the partners for every attempt of the period. */
const comparisonsPerMinute = 6;

const list = createRoute({
  method: "get",
  path: "/payouts",
  callers: readers,
  tags,
  summary: "List payouts to mobile money, with each step",
  request: { query: payoutQuery },
  responses: {
    200: { description: "One page, newest payment first", content: jsonContent(payoutPage) },
    ...errorResponses(400, 403),
  },
});

const compare = createRoute({
  method: "get",
  path: "/payouts/reconciliation",
  callers: onlyFor(["regulator"]),
  tags,
  summary: "Compare what the chain paid, the payouts, and what the partners say",
  request: { query: reconciliationQuery },
  responses: {
    200: { description: "Totals, and every difference", content: jsonContent(reconciliation) },
    ...errorResponses(400, 403, 429, 503),
  },
});

const addPartner = createRoute({
  method: "post",
  path: "/payouts/partners",
  callers: admins,
  secrets: ["callbackUrl"],
  guessable: ["api"],
  tags,
  summary: "Add a mobile-money partner",
  request: { body: { required: true, content: jsonContent(newPartner) } },
  responses: {
    201: { description: "The partner; its callback URL is shown only once", content: jsonContent(createdPartner) },
    ...errorResponses(400, 403, 409),
  },
});

const partners = createRoute({
  method: "get",
  path: "/payouts/partners",
  callers: readers,
  tags,
  summary: "List mobile-money partners",
  responses: { 200: { description: "Oldest first", content: jsonContent(partnerList) }, ...errorResponses(403) },
});

const endPartner = createRoute({
  method: "delete",
  path: "/payouts/partners/{id}",
  callers: admins,
  tags,
  summary: "Let a partner begin no more payouts",
  request: { params: partnerParams },
  responses: { 200: { description: "The partner", content: jsonContent(partner) }, ...errorResponses(403, 404) },
});

const addRate = createRoute({
  method: "post",
  path: "/payouts/rates",
  callers: admins,
  tags,
  summary: "Record an exchange rate, which is in force from now on",
  request: { body: { required: true, content: jsonContent(newRate) } },
  responses: { 201: { description: "The rate", content: jsonContent(rate) }, ...errorResponses(400, 403) },
});

const rates = createRoute({
  method: "get",
  path: "/payouts/rates",
  callers: readers,
  tags,
  summary: "List exchange rates",
  request: { query: rateQuery },
  responses: {
    200: { description: "One page, newest first", content: jsonContent(ratePage) },
    ...errorResponses(400, 403),
  },
});

const putAccount = createRoute({
  method: "put",
  path: "/payouts/accounts",
  callers: onlyFor(["supplier"], "payouts:write"),
  guessable: ["number", "holder"],
  tags,
  summary: "Set a supplier's mobile account",
  description: "Number and holder are stored encrypted. Logs contain paths, so they are in the body.",
  request: { body: { required: true, content: jsonContent(newAccount) } },
  responses: {
    200: { description: "The account, which may apply later", content: jsonContent(payoutAccount) },
    ...errorResponses(400, 403, 404),
  },
});

const accounts = createRoute({
  method: "get",
  path: "/payouts/accounts",
  callers: readers,
  tags,
  summary: "List the changes of a supplier's mobile account",
  request: { query: accountQuery },
  responses: {
    200: { description: "Newest first", content: jsonContent(accountList) },
    ...errorResponses(400, 403, 404),
  },
});

const read = createRoute({
  method: "get",
  path: "/payouts/{id}",
  callers: readers,
  tags,
  summary: "Read a payout by its payment's id",
  request: { params: payoutParams },
  responses: { 200: { description: "The payout", content: jsonContent(payout) }, ...errorResponses(403, 404) },
});

const retry = createRoute({
  method: "post",
  path: "/payouts/{id}/attempts",
  callers: admins,
  tags,
  summary: "Let a failed payout be tried again",
  request: { params: payoutParams },
  responses: {
    200: { description: "The payout, which waits", content: jsonContent(payout) },
    ...errorResponses(400, 403, 404, 409, 502),
  },
});

/** Routes of payouts, for suppliers and the operator. */
export function payoutRoutes(deps: PayoutDeps): App {
  return createRouter()
    .openapi(list, async (c) => c.json(await listPayouts(deps, requestContext(c), c.req.valid("query")), 200))
    .openapi(compare, async (c) => {
      const ctx = requestContext(c);
      const limiter = c.get("platform").rateLimiter;
      const allowance = await limiter.consume(`payout-reconciliation:${ctx.actor.keyId}`, comparisonsPerMinute);
      if (!allowance.allowed) {
        const message = `A key may compare ${allowance.limit} times a minute.`;
        throw new AppError("RATE_LIMITED", message, { headers: rateLimitHeaders(allowance) });
      }
      return c.json(await reconcile(deps, ctx, c.req.valid("query")), 200);
    })
    .openapi(addPartner, async (c) => c.json(await createPartner(deps, requestContext(c), c.req.valid("json")), 201))
    .openapi(partners, async (c) => c.json(await listPartners(deps, requestContext(c)), 200))
    .openapi(endPartner, async (c) => c.json(await closePartner(deps, requestContext(c), c.req.valid("param").id), 200))
    .openapi(addRate, async (c) => c.json(await recordRate(deps, requestContext(c), c.req.valid("json")), 201))
    .openapi(rates, async (c) => c.json(await listRates(deps, requestContext(c), c.req.valid("query")), 200))
    .openapi(putAccount, async (c) => c.json(await setAccount(deps, requestContext(c), c.req.valid("json")), 200))
    .openapi(accounts, async (c) => {
      return c.json(await listAccounts(deps, requestContext(c), c.req.valid("query").supplierDid), 200);
    })
    .openapi(read, async (c) => c.json(await getPayout(deps, requestContext(c), c.req.valid("param").id), 200))
    .openapi(retry, async (c) => {
      return c.json(await retryPayout(deps, requestContext(c), c.req.valid("param").id), 200);
    });
}
