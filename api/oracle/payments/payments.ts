import type { Chain } from "../../platform/chain/index.ts";
import type { Database } from "../../platform/db/index.ts";
import type { Log } from "../../platform/log.ts";
import type { Workers } from "../../platform/workers/index.ts";
import type { RequirePayment } from "../runs/admission.ts";
import { createSessionStore } from "../sessions/session-store.ts";
import { createAdmission } from "./admission.ts";
import { DepositBook } from "./deposits.ts";
import { oracleIdOf } from "./oracle-id.ts";
import { Settlement } from "./settlement.ts";
import { Terms } from "./terms.ts";

/** How the oracle is paid: its terms, deposits for users, and the settlement of claims. */
export type Payments = {
  did: string;
  terms: Terms;
  deposits: DepositBook;
  settlement: Settlement;
  requirePayment: RequirePayment;
  close: () => Promise<void>;
};

export type PaymentsDeps = {
  config: { publicUrl: string; chain: { embedded: boolean } };
  db: Database;
  clock: { now: () => Date };
  log: Log;
  workers: Workers;
  chain: Chain;
  /** The oracle's. */
  did: string;
  /** 64 hexadecimal digits. */
  schemeKey: string;
};

/** Open the oracle's part of the registry and start to follow it. */
export async function openPayments(deps: PaymentsDeps): Promise<Payments> {
  const { config, db, chain, did, log } = deps;
  const terms = new Terms(chain, did, log);
  const deposits: DepositBook = new DepositBook({ ...deps, onDeposit: () => settlement.soon() });
  const settlement = new Settlement({ ...deps, terms, deposits }, { embedded: config.chain.embedded });
  const sessions = createSessionStore(db);
  const requirePayment = createAdmission({
    ...deps,
    terms,
    deposits,
    reconcile: (userDid) => settlement.reconcile(userDid),
    settleSoon: () => settlement.soon(),
    hasSession: async (sessionId, userDid) => (await sessions.find(sessionId, userDid)) !== undefined,
    demand: ({ payee }, { userDid, sessionId }) => ({
      chainId: chain.id,
      registry: chain.addresses.oracles,
      asset: chain.addresses.stablecoin,
      payee,
      oracle: oracleIdOf(did),
      user: deposits.keyOf(userDid),
      url: `${config.publicUrl}/messages/${encodeURIComponent(sessionId)}`,
    }),
  });
  await terms.start();
  await deposits.start();
  await settlement.start();
  const close = async () => {
    terms.close();
    await deposits.close();
    await settlement.close();
  };
  return { did, terms, deposits, settlement, requirePayment, close };
}
