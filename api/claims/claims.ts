import type { Chain } from "../chain/chain.ts";
import type { Database } from "../db/client.ts";
import { openClaimCollector } from "./settlement.ts";
import { openClaimStore } from "./store.ts";

/** What the claims' services need for themselves. */
export function openClaims({ db, chain }: { db: Database; chain: Chain }) {
  return { store: openClaimStore(db), collector: openClaimCollector(chain) };
}
export type Claims = ReturnType<typeof openClaims>;
