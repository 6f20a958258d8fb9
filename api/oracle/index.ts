// The part of the oracle that the rest of the server uses. `configuration.ts` and `tables.ts` are apart, because the
// configuration and the database schema are read where no oracle runs.
export type { OracleDeps, OracleSettings } from "./deps.ts";
export { accessRoutes } from "./http/access-routes.ts";
export { mountOracle } from "./http/mount.ts";
export { type Oracle, openOracle } from "./open-oracle.ts";
export { contractActions } from "./payments/contract-action.ts";
export { oracleIdOf } from "./payments/oracle-id.ts";
export { callAsOwner, registerOwnOracle, registrationWarning } from "./payments/register-oracle.ts";
export { bundledPlugins } from "./plugins/bundled.ts";
export { BootError } from "./plugins/host/boot-error.ts";
export type { Fetch } from "./plugins/host/facade.ts";
export type { Services } from "./plugins/host/services.ts";
