import type { Chain } from "../chain/index.ts";
import type { Clock } from "../clock.ts";
import type { Database } from "../db/index.ts";
import type { Standings } from "./standing.ts";
import { openSessionStore, type SessionStore } from "./store.ts";
import { createSessionVerifier, type SessionVerifier } from "./verifier.ts";

export type Sessions = { store: SessionStore; standings: Standings; verifier: SessionVerifier };
export type SessionSource = { db: Database; chain: Chain; standings: Standings; clock: Clock };

/** Sessions of wallets: who signs in with one, and what that account may do. */
export function openSessions({ db, chain, standings, clock }: SessionSource): Sessions {
  const store = openSessionStore(db);
  return { store, standings, verifier: createSessionVerifier({ store, standings, chain, clock }) };
}
