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
  /** The deposit in micro-units of the stablecoin, as decimal text or bigint; without it enough for 100 messages. */
  amount?: string | bigint;
  /** The highest price of a message that the user accepts, in micro-units; the oracle's price when absent. */
  maxPrice?: string | bigint;
  memo?: unknown;
  /** Understood and of no effect: a deposit needs no standing authorisation. */
  useAuthz?: boolean;
  overrides?: Overrides;
};

/** What apps of this family say of the oracle that they contract. */
export type ContractOracleParams = {
  oracleDid?: string;
  /** The most that the oracle may be paid, in micro-units of the stablecoin: becomes the deposit, unless one is named. */
  maxAmount?: { amount: number; denom: string };
  /** The claim that is open. Understood and of no effect: a deposit pays all that are. */
  claimId?: string;
  /** Understood and of no effect, as claims are kept by the registry alone. */
  userClaimCollectionId?: string;
  adminAddress?: string;
  agentQuota?: number;
};

export type UseContractOracleReturn = {
  /**
   * Pay a deposit into the oracle's account. Resolves with what `transactSignX` answers. Called again before that, as by a second
   * click, it pays no second one: both calls have one answer. @throws Error
   */
  contractOracle: (options?: ContractOracleOptions) => Promise<unknown>;
  isContractingOracle: boolean;
  /** Pay what is owed: the deposit pays open claims, and those to come. @throws Error */
  payClaim: () => Promise<unknown>;
  isPayingClaim: boolean;
  error: Error | undefined;
  /** What the last deposit's `transactSignX` answered. */
  data: unknown;
  /** What the oracle says of its services, in the card that it is registered with; null when it has none. */
  agentCard: IAgentCard | null | undefined;
  isLoadingAgentCard: boolean;
  /** What the oracle asks for a message: one entry, in micro-units of the stablecoin whose address is `denom`; none when it is free. */
  pricingList: { title: string; description: string; amount: string; denom: string }[] | undefined;
  isLoadingPricingList: boolean;
  /** Who is paid. */
  authzConfig: IAuthzConfig | undefined;
  isLoadingAuthzConfig: boolean;
  /** The oracle is in every room of a user and it: true as soon as it is known. */
  isOracleInRoom: boolean | undefined;
  isLoadingOracleInRoom: boolean;
  /** Nothing is to be done: resolves at once. */
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
