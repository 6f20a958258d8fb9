export { type Itmo, openItmo } from "./itmo.ts";
export { itmoResults } from "./late-results.ts";
export { itmoActions } from "./prepare.ts";
export { Proofs } from "./proof/proofs.ts";
export { proofRoutes } from "./proof/routes.ts";
export { itmoRoutes } from "./routes.ts";
export { uniqueIdOfUnits, wordsOfAction } from "./words-of-action.ts";
