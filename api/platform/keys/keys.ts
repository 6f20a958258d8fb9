import type { Clock } from "../clock.ts";
import type { PlatformConfig } from "../config.ts";
import type { Database } from "../db/index.ts";
import type { ProofStore } from "./dpop.ts";
import { createInvitationStore, type InvitationStore } from "./invitations/store.ts";
import { KeyUse } from "./key-use.ts";
import { createPasskeyStore, type PasskeyStore } from "./passkeys/store.ts";
import { createProofStore } from "./proof-store.ts";
import { createKeyStore, type KeyStore } from "./store.ts";
import { createKeyVerifier, type KeyVerifier } from "./verifier.ts";

/** Looks up whether DIDs are registered. */
export type ParticipantLookup = {
  isSupplier: (did: string) => Promise<boolean>;
  isImplementer: (did: string) => Promise<boolean>;
};

export type Keys = {
  store: KeyStore;
  invitations: InvitationStore;
  passkeys: PasskeyStore;
  verifier: KeyVerifier;
  proofs: ProofStore;
  use: KeyUse;
};

export type KeysOptions = {
  db: Database;
  clock: Clock;
  config: Pick<PlatformConfig, "adminApiKey">;
  /** A key that acts as admin while this process runs, for the command line on the same machine. */
  operatorKey?: string;
};

/** Open the store and the verifier of API keys. */
export function createKeys({ db, clock, config, operatorKey }: KeysOptions): Keys {
  const store = createKeyStore(db);
  const adminKeys = [config.adminApiKey, operatorKey].filter((key) => key !== undefined);
  return {
    store,
    invitations: createInvitationStore(db),
    passkeys: createPasskeyStore(db),
    verifier: createKeyVerifier({ store, clock, adminKeys }),
    proofs: createProofStore(db, clock),
    use: new KeyUse(store),
  };
}
