import type { Deps } from "../../compose.ts";
import { countClaims, readStanding } from "./claim-store.ts";
import type { OracleAccount, OracleClaim, OracleFacts } from "./schemas.ts";
import type { ClaimRow } from "./tables.ts";

/** What anybody may know of the oracle. */
export function showFacts({ oracle, payments, chain, config }: Deps): OracleFacts {
  const models = oracle.agent.models();
  const registered = payments.terms.current;
  const { oracles: registryAddress, stablecoin } = chain.addresses;
  // An outside node's address may hold a key.
  const rpcUrl = config.chain.embedded ? config.chain.rpcUrl : null;
  return {
    name: oracle.name,
    did: oracle.did,
    apiUrl: registered?.apiUrl ?? null,
    wsUrl: registered === undefined ? null : registered.wsUrl || registered.apiUrl,
    agentCardUri: registered?.agentCardUri || null,
    model: (models.find(({ isDefault }) => isDefault) ?? models[0])?.id ?? "",
    price: `${registered?.price ?? 0n}`,
    freeMessages: registered?.freeMessages ?? 0,
    allowance: registered?.allowance ?? 0,
    payee: registered?.payee ?? null,
    chain: { chainId: chain.id, registryAddress, stablecoin, rpcUrl },
  };
}

/** What the user has with the oracle. */
export async function showAccount({ db, payments }: Deps, userDid: string): Promise<OracleAccount> {
  const { price = 0n, freeMessages = 0, allowance = 0 } = payments.terms.current ?? {};
  const found = await payments.deposits.of(userDid, { fresh: true });
  const { messages } = await readStanding(db, userDid, found);
  return {
    user: payments.deposits.keyOf(userDid),
    price: `${price}`,
    freeMessages,
    freeMessagesLeft: Math.max(0, freeMessages - messages),
    allowance,
    deposits: found.deposits.map(({ payer, balance, withdrawing, acceptedPrice }) => ({
      payer,
      ...{ balance: `${balance}`, withdrawing: `${withdrawing}`, acceptedPrice: `${acceptedPrice}` },
    })),
    claims: await countClaims(db, userDid),
  };
}

export function showClaim(row: ClaimRow): OracleClaim {
  const { id: claimId, state, amount, sessionId, requestId, runId, payer, transactionHash, createdAt } = row;
  const facts = { claimId, state, amount: `${amount}`, sessionId, requestId, runId, payer, transactionHash };
  return { ...facts, createdAt: createdAt.toISOString() };
}
