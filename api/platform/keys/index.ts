export { checkProof } from "./dpop.ts";
export { generateKey, hashSecret, sameHash } from "./format.ts";
export { createKeys, type Keys, type ParticipantLookup } from "./keys.ts";
export { isOnCurve } from "./public-jwk.ts";
export { keyRoutes } from "./routes.ts";
export { publicJwk } from "./schemas.ts";
export { createFirstAdminKey } from "./service.ts";
export type { VerifiedKey } from "./verifier.ts";
