import type { Chain } from "../../platform/chain/chain.ts";
import type { CoreDeps } from "../../platform/core.ts";
import type { OracleRuntimeConfig } from "../configuration.ts";
import { createSessionStore } from "../sessions/session-store.ts";
import { createAdmission, type RequirePayment } from "./admission.ts";
import { DepositBook } from "./deposits.ts";
import { oracleIdOf } from "./oracle-id.ts";
import { Settlement } from "./settlement.ts";
import { Terms } from "./terms.ts";

/** What the oracle is paid by. */
export type Payments = {
  did: string;
  terms: Terms;
  deposits: DepositBook;
  settlement: Settlement;
  requirePayment: RequirePayment;
  close: () => Promise<void>;
};

type Parts = Pick<CoreDeps<OracleRuntimeConfig>, "config" | "db" | "clock" | "log"> & {
  chain: Chain;
  /** The oracle's. */
  did: string;
  /** 64 hexadecimal digits. */
  schemeKey: string;
};

/** Open the oracle's part of the registry: what it asks, who has deposited, and the settlement of what was used. */
export async function openPayments(parts: Parts): Promise<Payments> {
  const { config, db, chain, did, log } = parts;
  const terms = new Terms(chain, did, log);
  const deposits = new DepositBook(parts);
  const settlement = new Settlement({ ...parts, terms, deposits }, { embedded: config.chain.embedded });
  const sessions = createSessionStore(db);
  const requirePayment = createAdmission({
    ...{ ...parts, terms, deposits },
    reconcile: (userDid) => settlement.reconcile(userDid),
    due: () => settlement.soon(),
    hasSession: async (sessionId, userDid) => (await sessions.find(sessionId, userDid)) !== undefined,
    demand: ({ payee }, { userDid, sessionId }) => ({
      ...{ chainId: chain.id, registry: chain.addresses.oracles, asset: chain.addresses.stablecoin, payee },
      ...{ oracle: oracleIdOf(did), user: deposits.keyOf(userDid) },
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
