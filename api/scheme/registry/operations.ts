import { BURNING_TYPE, runBurning } from "../certificates/burning.ts";
import type { CertificateDeps } from "../certificates/deps.ts";
import { RECORDING_TYPE, runRecording } from "../certificates/recording.ts";
import type { RegistryDeps } from "./deps.ts";
import { IMPORT_TYPE, runImport } from "./households/import.ts";

/** Tells the operations what the registry's types do. Call before they start. */
export function defineRegistryOperations(deps: RegistryDeps & CertificateDeps): void {
  deps.operations.define(IMPORT_TYPE, (job) => runImport(deps, job));
  deps.operations.define(RECORDING_TYPE, (job) => runRecording(deps, job));
  deps.operations.define(BURNING_TYPE, (job) => runBurning(deps, job));
}
