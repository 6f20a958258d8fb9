import { useCallback, useEffect, useMemo, useRef } from "react";
import type { IAgentCard } from "../core/agent-card.ts";
import type { OracleConfig } from "../core/config.ts";
import { depositIn } from "../core/deposit.ts";
import { Resource } from "../core/resource.ts";
import type { Overrides } from "../core/types.ts";
import { useOraclesContext } from "./context.tsx";
import { authConfigOf, type IAuthzConfig, useOracleUrls } from "./use-oracles-config.ts";
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
  const own: Given = typeof given === "string" ? { oracleDid: given } : given;
  const ownDid = own.oracleDid ?? own.params?.oracleDid ?? "";
  const { overrides: ownOverrides } = own;
  const ownAmount = ownDepositOf(own);
  const { baseUrl } = useOracleUrls(ownDid, ownOverrides);
  const work = useMemo(() => ({ run: async (): Promise<unknown> => undefined }), []);
  const resource = useMemo(() => new Resource(() => work.run()), [work]);
  const paying = useRef<Promise<unknown> | undefined>(undefined);
  const { data, error } = useStore(resource);
  const deposit = useCallback(
    async ({ oracleDid = ownDid, overrides = ownOverrides, memo, ...more }: ContractOracleOptions = {}) => {
      const { amount = oracleDid === ownDid ? ownAmount : undefined, maxPrice } = more;
      const paid = { ...(amount === undefined ? {} : { amount }), ...(maxPrice === undefined ? {} : { maxPrice }) };
      const pay = async () => {
        const known = overrides?.baseUrl ?? (oracleDid === ownDid ? baseUrl : undefined);
        const messages = await depositIn(connections, { ...paid, oracleDid, baseUrl: known });
        return await transactSignX(messages, memo);
      };
      if (paying.current === undefined) work.run = pay;
      paying.current ??= resource.load().finally(() => {
        paying.current = undefined;
      });
      const answer = await paying.current;
      const { error: failure } = resource.get();
      if (failure !== undefined) throw failure;
      return answer;
    },
    [connections, transactSignX, work, resource, ownDid, ownOverrides, ownAmount, baseUrl],
  );
  const [contractOracle, isContractingOracle] = useWork(deposit);
  const [payClaim, isPayingClaim] = useWork(useCallback(() => deposit(), [deposit]));
  return {
    ...{ contractOracle, isContractingOracle, payClaim, isPayingClaim, error, data },
    ...useTerms(ownDid, ownOverrides?.baseUrl),
  };
}

const ownDepositOf = ({ params }: Given): string | undefined =>
  params?.maxAmount === undefined ? undefined : String(BigInt(params.maxAmount.amount));

/** What is publicly known of the oracle's price and services. */
function useTerms(oracleDid: string, baseUrl: string | undefined) {
  const { configOf, connections, wallet } = useOraclesContext();
  const resource = configOf(oracleDid, baseUrl);
  const { data: config, error } = useStore(resource);
  useEffect(() => void (oracleDid !== "" && resource.ensure()), [resource, oracleDid]);
  const uri = config?.agentCardUri;
  const cards = uri === undefined ? undefined : connections.cardOf(oracleDid, uri);
  const card = useMaybeStore(cards);
  useEffect(() => void cards?.ensure(), [cards]);
  const isLoading = oracleDid !== "" && config === undefined && error === undefined;
  const hasNoCard = (config !== undefined && uri === undefined) || card?.error !== undefined;
  return {
    ...{ agentCard: hasNoCard ? null : card?.data, isLoadingAgentCard: isLoading || card?.isLoading === true },
    ...{ pricingList: config && pricesOf(config), isLoadingPricingList: isLoading },
    ...{ authzConfig: authConfigOf(config, wallet.address), isLoadingAuthzConfig: isLoading },
    ...{ isOracleInRoom: config === undefined ? undefined : true, isLoadingOracleInRoom: isLoading },
    ...{ inviteOracle, isInvitingOracle: false },
  };
}

async function inviteOracle(): Promise<void> {}

function pricesOf({ name, oracleDid, price = "0", freeMessages = 0, chain }: OracleConfig) {
  if (price === "0" || chain === undefined) return [];
  const free = freeMessages === 0 ? "" : ` The first ${freeMessages} are free.`;
  return [
    { title: name ?? oracleDid, description: `The price of a message.${free}`, amount: price, denom: chain.stablecoin },
  ];
}
