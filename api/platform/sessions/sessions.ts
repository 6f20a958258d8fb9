import type { Chain } from "../chain/index.ts";
import type { Clock } from "../clock.ts";
import type { Database } from "../db/index.ts";
import type { Standings } from "./standing.ts";
import { openSessionStore, type SessionStore } from "./store.ts";
import { createSessionVerifier, type SessionVerifier } from "./verifier.ts";

export type Sessions = { store: SessionStore; standings: Standings; verifier: SessionVerifier };
export type SessionSource = { db: Database; chain: Chain; standings: Standings; clock: Clock };

/** Open the store and the verifier of wallet sessions. */
export function openSessions({ db, chain, standings, clock }: SessionSource): Sessions {
  const store = openSessionStore(db);
  return { store, standings, verifier: createSessionVerifier({ store, standings, chain, clock }) };
}
