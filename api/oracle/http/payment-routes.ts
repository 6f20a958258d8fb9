import { createRoute } from "@hono/zod-openapi";
import { zeroHash } from "viem";
import { decodeCursor, errorResponses, foreignCursor, jsonContent, page, toPage } from "../../platform/http/index.ts";
import { listClaims } from "../payments/claim-store.ts";
import { prepareContract } from "../payments/contract-oracle.ts";
import {
  claimsQuery,
  contractRequest,
  oracleAccount,
  oracleClaim,
  oracleFacts,
  preparedContract,
} from "../payments/schemas.ts";
import { type PaymentRouteDeps, serializeAccount, serializeClaim, serializeOracle } from "../payments/serialize.ts";
import type { CallerDeps } from "./require-caller.ts";
import { callerRoute, callerRouter, oracleRouter } from "./router.ts";

const facts = createRoute({
  tags: ["Oracle"],
  security: [],
  method: "get",
  path: "/oracle",
  summary: "Read the oracle's identity, price and registry",
  responses: { 200: { description: "As of the last block", content: jsonContent(oracleFacts) } },
});

const account = callerRoute({
  method: "get",
  path: "/oracle/account",
  summary: "Read the caller's deposits, remaining free messages, and claims by state",
  responses: { 200: { description: "As of the last block", content: jsonContent(oracleAccount) } },
});

const claims = callerRoute({
  method: "get",
  path: "/oracle/claims",
  summary: "List the caller's claims for messages, newest first",
  request: { query: claimsQuery },
  responses: { 200: { description: "A page", content: jsonContent(page(oracleClaim)) }, ...errorResponses(400) },
});

const contract = callerRoute({
  method: "post",
  path: "/oracle/contract",
  summary: "Prepare the transactions by which an account deposits for the caller's messages",
  request: { body: { required: true, content: jsonContent(contractRequest) } },
  responses: {
    200: { description: "The transactions that the account's holder signs", content: jsonContent(preparedContract) },
    ...errorResponses(400, 404, 409, 503),
  },
});

/** Routes about prices, deposits and claims. Amounts are decimal text of base units, as on chain. */
export function paymentRoutes(deps: CallerDeps & PaymentRouteDeps) {
  const { db, chain, payments } = deps;
  const routes = oracleRouter().openapi(facts, (c) => c.json(serializeOracle(deps), 200));
  const own = callerRouter(deps)
    .openapi(account, async (c) => c.json(await serializeAccount(deps, c.get("caller").did), 200))
    .openapi(claims, async (c) => {
      const { cursor, limit, state } = c.req.valid("query");
      const before = decodeCursor(cursor)?.[0];
      if (typeof before === "number") throw foreignCursor();
      const rows = await listClaims(db, c.get("caller").did, { limit, before, state });
      const { items, nextCursor } = toPage(rows, limit, ({ id }) => [id]);
      return c.json({ items: items.map(serializeClaim), nextCursor }, 200);
    })
    .openapi(contract, async (c) => {
      const userDid = c.get("caller").did;
      const input = c.req.valid("json");
      // If the account is the user's DID, the registry needs no separate user key.
      const isOwn = payments.deposits.ownAccountOf(userDid)?.toLowerCase() === input.from.toLowerCase();
      const user = isOwn ? zeroHash : payments.deposits.keyOf(userDid);
      const { amount, maxPrice, ...prepared } = await prepareContract(chain, { did: payments.did, user, ...input });
      return c.json({ ...prepared, amount: `${amount}`, maxPrice: `${maxPrice}` }, 200);
    });
  return routes.route("/", own);
}
