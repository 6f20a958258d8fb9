import type { Credentials } from "./credentials.ts";

/** What the services of this folder work with. */
export type CredentialDeps = {
  credentials: Credentials;
};
