export { kptClaimKind } from "./claim-kind.ts";
export { kptResults } from "./collector.ts";
export { evidenceRoutes } from "./evidence-routes.ts";
export { photoEvidence } from "./field/photo-evidence.ts";
export { claimCheckRoutes } from "./field/routes.ts";
export { type Kpt, openKpt } from "./kpt.ts";
export { kptRoutes } from "./routes.ts";
