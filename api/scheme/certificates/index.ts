export { CHUNK_LEAVES, chunkOf, LEAF_BYTES, leafAt } from "./allocation-tree.ts";
export { openCertificates } from "./certificates.ts";
export { CREDENTIAL_TYPE, checkCertificate, shorten } from "./checks.ts";
export type { CountedReduction, FindingsCheck } from "./deps.ts";
export {
  type CertificateDirectory,
  type CertificateState,
  certificateStatusNumber,
  type ProvenLeaf,
} from "./directory.ts";
export {
  certificatesOfHouseholds,
  isHouseholdPeriodConflict,
  isInForce,
  voucherReservingCall,
} from "./household-periods.ts";
export { defineCertificateOperations } from "./operations.ts";
export { RECORDING_TYPE } from "./recording.ts";
export { RevocationWatch } from "./revocation-watch.ts";
export { certificateRoutes } from "./routes.ts";
export { type Allocation, allocation, certificate } from "./schemas.ts";
export { getCertificate, registerCertificate } from "./service.ts";
export type { CertificateRow } from "./tables.ts";
