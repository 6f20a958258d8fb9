export { devRoutes } from "./routes.ts";
export { signInLinkFile, signInLinkPath, signInLinkRoutes } from "./sign-in-links.ts";
