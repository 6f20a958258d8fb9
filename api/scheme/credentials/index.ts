export type { Credentials, ReceiptType } from "./credentials.ts";
export { openCredentials } from "./issuer.ts";
export { publicPaths } from "./public-paths.ts";
export { credentialRoutes } from "./routes.ts";
