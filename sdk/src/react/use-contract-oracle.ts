"use client";

import { useCallback, useEffect, useMemo } from "react";
import type { IAgentCard } from "../core/agent-card.ts";
import type { IAuthzConfig } from "../core/authz-config.ts";
import { contractTerms, depositOptionsOf } from "../core/contract-terms.ts";
import { depositIn } from "../core/deposit.ts";
import { Payment } from "../core/payment.ts";
import type { Overrides } from "../core/types.ts";
import { useOraclesContext } from "./context.tsx";
import { useOracleUrls } from "./use-oracles-config.ts";
import { useMaybeStore, useStore } from "./use-store.ts";
import { useWork } from "./use-work.ts";

export type ContractOracleOptions = {
  oracleDid?: string;
  /** Deposit in micro-units of the stablecoin, as decimal text or bigint; pays for 100 messages by default. */
  amount?: string | bigint;
  /** Highest price of a message that the user accepts, in micro-units; the oracle's price by default. */
  maxPrice?: string | bigint;
  memo?: unknown;
  /** Accepted and ignored: a deposit needs no standing authorisation. */
  useAuthz?: boolean;
  overrides?: Overrides;
};

/** Parameters of other SDKs of this family. */
export type ContractOracleParams = {
  oracleDid?: string;
  /** Upper limit of payments, in micro-units of the stablecoin; used as the deposit when no amount is given. */
  maxAmount?: { amount: number; denom: string };
  /** Id of an unpaid claim. Accepted and ignored: a deposit pays all unpaid claims. */
  claimId?: string;
  /** Accepted and ignored: the registry alone stores claims. */
  userClaimCollectionId?: string;
  adminAddress?: string;
  agentQuota?: number;
};

export type UseContractOracleReturn = {
  /**
   * Pays a deposit into the oracle's account. Resolves with the result of `transactSignX`. A second call during a payment, such as
   * a second click, gets the result of that payment. @throws Error
   */
  contractOracle: (options?: ContractOracleOptions) => Promise<unknown>;
  isContractingOracle: boolean;
  /** Pays a deposit, which covers unpaid and future claims. @throws Error */
  payClaim: () => Promise<unknown>;
  isPayingClaim: boolean;
  error: Error | undefined;
  /** Result of `transactSignX` for the last deposit. */
  data: unknown;
  /** The oracle's agent card, which describes its services; null when it has none. */
  agentCard: IAgentCard | null | undefined;
  isLoadingAgentCard: boolean;
  /** Price of a message: one entry, in micro-units of the stablecoin at address `denom`; empty when free. */
  pricingList: { title: string; description: string; amount: string; denom: string }[] | undefined;
  isLoadingPricingList: boolean;
  /** Who is paid. */
  authzConfig: IAuthzConfig | undefined;
  isLoadingAuthzConfig: boolean;
  /** True once the oracle is known: it is in every room. */
  isOracleInRoom: boolean | undefined;
  isLoadingOracleInRoom: boolean;
  /** Does nothing: the oracle is in every room. */
  inviteOracle: () => Promise<void>;
  isInvitingOracle: boolean;
};

type Given = { params?: ContractOracleParams; oracleDid?: string; overrides?: Overrides };

/**
 * Pay a deposit to contract an oracle: prepare the transactions and let the wallet sign them.
 * @param given the oracle, as its DID or in `params`; without it each call names the oracle
 * @throws Error outside an OraclesProvider
 * @example
 * ```tsx
 * import { useContractOracle } from "@hearth/oracles-client-sdk";
 *
 * export function PayButton({ oracleDid }: { oracleDid: string }) {
 *   const { contractOracle, isContractingOracle, error } = useContractOracle(oracleDid);
 *   // 5 000 000 micro-units: 5 units of the stablecoin.
 *   return (
 *     <button disabled={isContractingOracle} onClick={() => contractOracle({ amount: 5_000_000n })}>
 *       {error?.message ?? "Pay"}
 *     </button>
 *   );
 * }
 * ```
 */
export function useContractOracle(given: string | Given = {}): UseContractOracleReturn {
  const { connections, transactSignX } = useOraclesContext();
  const { oracleDid, params, overrides }: Given = typeof given === "string" ? { oracleDid: given } : given;
  const ownDid = oracleDid ?? params?.oracleDid ?? "";
  const amount = params?.maxAmount && String(BigInt(params.maxAmount.amount));
  const baseUrl = useOracleUrls(ownDid, overrides).baseUrl;
  const payment = useMemo(() => new Payment(), []);
  const deposit = useCallback(
    ({ memo, ...call }: ContractOracleOptions = {}) => {
      const options = depositOptionsOf(call, { oracleDid: ownDid, overrides, baseUrl, amount });
      return payment.make(async () => await transactSignX(await depositIn(connections, options), memo));
    },
    [connections, transactSignX, payment, ownDid, overrides, amount, baseUrl],
  );
  const [contractOracle, isContractingOracle] = useWork(deposit);
  const [payClaim, isPayingClaim] = useWork(useCallback(() => deposit(), [deposit]));
  const terms = useTerms(ownDid, overrides?.baseUrl);
  return { ...terms, ...useStore(payment), contractOracle, isContractingOracle, payClaim, isPayingClaim };
}

/** Read what is publicly known of the oracle's price and services. */
function useTerms(oracleDid: string, baseUrl: string | undefined) {
  const { configOf, connections, wallet } = useOraclesContext();
  const resource = configOf(oracleDid, baseUrl);
  const config = useStore(resource);
  useEffect(() => void (oracleDid !== "" && resource.ensure()), [resource, oracleDid]);
  const uri = config.data?.agentCardUri;
  const cards = uri === undefined ? undefined : connections.cardOf(oracleDid, uri);
  const card = useMaybeStore(cards);
  useEffect(() => void cards?.ensure(), [cards]);
  return contractTerms({ oracleDid, config, card, address: wallet.address });
}
