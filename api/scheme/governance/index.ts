export { type Governance, openGovernance } from "./governance.ts";
export { proposalNotices } from "./notices.ts";
export { councilPaths } from "./public-paths.ts";
export { countWaitingProposals } from "./read.ts";
export { roleRoutes } from "./roles.ts";
export { governanceRoutes } from "./routes.ts";
