import type { Credentials } from "./credentials.ts";

/** Dependencies of the services in this folder. */
export type CredentialDeps = {
  credentials: Credentials;
};
