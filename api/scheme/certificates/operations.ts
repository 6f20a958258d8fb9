import { BURNING_TYPE, runBurning } from "./burning.ts";
import type { CertificateDeps } from "./deps.ts";
import { RECORDING_TYPE, runRecording } from "./recording.ts";

/** Define the operations of certificates. Call before operations start. */
export function defineCertificateOperations(deps: CertificateDeps): void {
  deps.operations.define(RECORDING_TYPE, (job) => runRecording(deps, job));
  deps.operations.define(BURNING_TYPE, (job) => runBurning(deps, job));
}
