import type { Chain } from "../../platform/chain/index.ts";
import type { Database } from "../../platform/db/index.ts";
import type { Log } from "../../platform/log.ts";
import { DrawSettler } from "./draws.ts";
import { openClaimCollector } from "./settlement.ts";
import { openClaimStore } from "./store.ts";

/** Open what the claims' services use. */
export function openClaims({ db, chain, log }: { db: Database; chain: Chain; log: Log }) {
  const draws = new DrawSettler({ chain, log });
  draws.start();
  return { store: openClaimStore(db), collector: openClaimCollector(chain), draws };
}
export type Claims = ReturnType<typeof openClaims>;
