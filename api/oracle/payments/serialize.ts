import type { Chain } from "../../platform/chain/index.ts";
import type { Database } from "../../platform/db/index.ts";
import type { Agent } from "../wire/turn.ts";
import { countClaims, readAccountState } from "./claim-store.ts";
import type { Payments } from "./payments.ts";
import type { OracleAccount, OracleClaim, OracleFacts } from "./schemas.ts";
import type { ClaimRow } from "./tables.ts";

export type PaymentRouteDeps = {
  name: string;
  did: string;
  agent: Pick<Agent, "models">;
  payments: Payments;
  chain: Chain;
  db: Database;
  /** Of the embedded chain's node; null for an outside node, whose address may contain a key. */
  publicRpcUrl: string | null;
};

/** Public facts about the oracle. */
export function serializeOracle({ name, did, agent, payments, chain, publicRpcUrl }: PaymentRouteDeps): OracleFacts {
  const models = agent.models();
  const registered = payments.terms.current;
  const { oracles: registryAddress, stablecoin } = chain.addresses;
  return {
    name,
    did,
    apiUrl: registered?.apiUrl ?? null,
    wsUrl: registered === undefined ? null : registered.wsUrl || registered.apiUrl,
    agentCardUri: registered?.agentCardUri || null,
    model: (models.find(({ isDefault }) => isDefault) ?? models[0])?.id ?? "",
    price: `${registered?.price ?? 0n}`,
    freeMessages: registered?.freeMessages ?? 0,
    allowance: registered?.allowance ?? 0,
    payee: registered?.payee ?? null,
    chain: { chainId: chain.id, registryAddress, stablecoin, rpcUrl: publicRpcUrl },
  };
}

/** The user's deposits, free messages and claims. */
export async function serializeAccount({ db, payments }: PaymentRouteDeps, userDid: string): Promise<OracleAccount> {
  const { price = 0n, freeMessages = 0, allowance = 0 } = payments.terms.current ?? {};
  const found = await payments.deposits.of(userDid, { fresh: true });
  const { messages } = await readAccountState(db, userDid, found);
  return {
    user: payments.deposits.keyOf(userDid),
    price: `${price}`,
    freeMessages,
    freeMessagesLeft: Math.max(0, freeMessages - messages),
    allowance,
    deposits: found.deposits.map(({ payer, balance, withdrawing, acceptedPrice }) => ({
      payer,
      balance: `${balance}`,
      withdrawing: `${withdrawing}`,
      acceptedPrice: `${acceptedPrice}`,
    })),
    claims: await countClaims(db, userDid),
  };
}

export function serializeClaim(row: ClaimRow): OracleClaim {
  const { id: claimId, state, amount, sessionId, requestId, runId, payer, transactionHash, createdAt } = row;
  const facts = { claimId, state, amount: `${amount}`, sessionId, requestId, runId, payer, transactionHash };
  return { ...facts, createdAt: createdAt.toISOString() };
}
