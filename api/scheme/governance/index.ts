export { type Governance, openGovernance } from "./governance.ts";
export { councilPaths } from "./public-paths.ts";
export { governanceRoutes } from "./routes.ts";
