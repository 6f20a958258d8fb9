export { type ActedBy, type ActingChannel, actedBy, actingChannels } from "./acting.ts";
export {
  notForIdentity,
  requireOwnImplementer,
  requireOwnSupplier,
  requireRole,
  requireRoleOrScope,
  requireScope,
  scopeMissing,
} from "./authorize.ts";
export { readBody } from "./body.ts";
export { type Callers, checkCaller, everyKey, everyRole, onlyFor } from "./callers.ts";
export { clientAddress, clientOf } from "./client-address.ts";
export { ConnectionLimit } from "./connection-limit.ts";
export { type App, type AppEnv, requestContext } from "./context.ts";
export { respondError, toAppError, toErrorBody, zodDetails } from "./error-response.ts";
export { limitAddress, limitFailures, limitRequests, limitSignIns, limitWrites } from "./limit-requests.ts";
export { limitTogether } from "./limit-together.ts";
export { loggedPath } from "./logged-path.ts";
export { brokenRule, type ErrorStatus, errorResponse, errorResponses, jsonContent } from "./openapi.ts";
export {
  decodeCursor,
  decodeTimeCursor,
  encodeCursor,
  foreignCursor,
  listQuery,
  page,
  pageSize,
  toPage,
} from "./pagination.ts";
export { createRateLimiter, type RateLimiter, rateLimitHeaders } from "./rate-limit.ts";
export { type Actor, type RequestContext, type Role, roles } from "./request-context.ts";
export { requestUrls } from "./request-urls.ts";
export { createRouter, type RouteOptions } from "./router.ts";
export { type Scope, scopes } from "./scopes.ts";
export { addStreamGauges } from "./stream-gauges.ts";
export { streamResponse } from "./stream-response.ts";
