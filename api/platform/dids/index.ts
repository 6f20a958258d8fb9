export { accountInDid } from "./account-of-did.ts";
export { didEthrMethod } from "./did-ethr.ts";
export { keyOfDidKey, type VerifyingKey } from "./did-key.ts";
export { createDidResolver, type DidMethod, didKeyMethod } from "./did-resolution.ts";
export { didWebMethod } from "./did-web.ts";
export type { EthrNetwork } from "./ethr-registry.ts";
export { kindOfSignature, type SignatureKind } from "./signature-kinds.ts";
