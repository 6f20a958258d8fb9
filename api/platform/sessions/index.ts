export { isSignIn } from "./public-paths.ts";
export { sessionRoutes } from "./routes.ts";
export { openSessions, type Sessions } from "./sessions.ts";
export { type Capacity, capacities, type Standing, type Standings } from "./standing.ts";
export { isSessionToken } from "./token.ts";
export type { SessionVerifier } from "./verifier.ts";
