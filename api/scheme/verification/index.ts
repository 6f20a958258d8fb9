export { parseDateTime } from "./credential-dates.ts";
export { isObject, type JsonObject } from "./credential-token.ts";
export type { Credential, CredentialVerifier } from "./credential-verifier.ts";
export { ethrNetworksOf, openVerifier } from "./open-verifier.ts";
