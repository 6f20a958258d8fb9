export { startBufferSettler } from "./buffer/settler.ts";
export { itmoResults } from "./deferred-results.ts";
export { describeAction, uniqueIdOfUnits } from "./describe-action.ts";
export { type Itmo, openItmo } from "./itmo.ts";
export { itmoActions } from "./prepare.ts";
export { Proofs } from "./proof/proofs.ts";
export { proofRoutes } from "./proof/routes.ts";
export { itmoRoutes } from "./routes.ts";
