export { createBaseApp, mount } from "./base-app.ts";
export { limitClientConnections } from "./client-connections.ts";
export { mountConsole } from "./console.ts";
export { type CoreDeps, type CoreOptions, openCoreDeps } from "./core.ts";
export { type Drain, prepareDrain } from "./drain.ts";
export { indexerCheck } from "./indexer-ready.ts";
export { carrySecurityHeaders } from "./security-headers.ts";
export { maxClientConnections, maxConnections, serverOptions } from "./server-options.ts";
export { limitSlowBodies } from "./slow-bodies.ts";
