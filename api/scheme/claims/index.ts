export { type Claims, openClaims } from "./claims.ts";
export { claimResults } from "./deferred-results.ts";
export { notFound, readRedemptionOfClaim } from "./facts.ts";
export type { ClaimKind } from "./kinds.ts";
export { paymentRoutes } from "./payments/routes.ts";
export { claimActions } from "./prepare.ts";
export { claimRoutes } from "./routes.ts";
export { claimParams } from "./schemas.ts";
export { errorNameOf, settlementOf } from "./settlement.ts";
