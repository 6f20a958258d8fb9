import type { Registry } from "../../scheme/registry/registry.ts";
import type { Chain } from "../chain/chain.ts";
import type { Clock } from "../core.ts";
import type { Database } from "../db/client.ts";
import { Standings } from "./standings.ts";
import { openSessionStore, type SessionStore } from "./store.ts";
import { createSessionVerifier, type SessionVerifier } from "./verifier.ts";

export type Sessions = { store: SessionStore; standings: Standings; verifier: SessionVerifier };
export type SessionSource = { db: Database; chain: Chain; registry: Registry; clock: Clock };

/** Sessions of wallets: who signs in with one, and what that account may do. */
export function openSessions({ db, chain, registry, clock }: SessionSource): Sessions {
  const store = openSessionStore(db);
  const standings = new Standings(chain, registry);
  return { store, standings, verifier: createSessionVerifier({ store, standings, chain, clock }) };
}
