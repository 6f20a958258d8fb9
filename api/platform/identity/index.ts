export type { DidDocument } from "./document.ts";
export { openIdentity, type ServiceIdentity } from "./identity.ts";
export { readEd25519Key } from "./public-key.ts";
export { identityRoutes } from "./routes.ts";
