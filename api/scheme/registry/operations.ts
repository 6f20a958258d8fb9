import type { RegistryDeps } from "./deps.ts";
import { IMPORT_TYPE, runImport } from "./households/import.ts";

/** Define the registry's operations. Call before operations start. */
export function defineRegistryOperations(deps: RegistryDeps): void {
  deps.operations.define(IMPORT_TYPE, (job) => runImport(deps, job));
}
