import { useCallback, useMemo } from "react";
import { depositIn } from "../core/deposit.ts";
import { Resource } from "../core/resource.ts";
import type { Overrides } from "../core/types.ts";
import { useOraclesContext } from "./context.tsx";
import { useOracleUrls } from "./use-oracles-config.ts";
import { useStore } from "./use-store.ts";

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

export type UseContractOracleReturn = {
  /** Pay a deposit into the oracle's account. Resolves with what `transactSignX` answers. @throws Error */
  contractOracle: (options?: ContractOracleOptions) => Promise<unknown>;
  isContractingOracle: boolean;
  /** Pay what is owed: the deposit pays open claims, and those to come. @throws Error */
  payClaim: () => Promise<unknown>;
  isPayingClaim: boolean;
  error: Error | undefined;
  /** What the last deposit's `transactSignX` answered. */
  data: unknown;
};

/**
 * Pay to contract an oracle: prepares the transactions and has the wallet sign them.
 * @param given the oracle, by itself or as `params`; else each call names it
 */
export function useContractOracle(
  given: string | { params?: { oracleDid?: string }; oracleDid?: string; overrides?: Overrides } = {},
): UseContractOracleReturn {
  const { connections, transactSignX } = useOraclesContext();
  const own = typeof given === "string" ? { oracleDid: given } : { ...given.params, ...given };
  const { oracleDid: ownDid = "", overrides: ownOverrides } = own as { oracleDid?: string; overrides?: Overrides };
  const { baseUrl } = useOracleUrls(ownDid, ownOverrides);
  const work = useMemo(() => ({ run: async (): Promise<unknown> => undefined }), []);
  const resource = useMemo(() => new Resource(() => work.run()), [work]);
  const { data, error, isLoading: isContractingOracle } = useStore(resource);
  const contractOracle = useCallback(
    async ({ oracleDid = ownDid, overrides = ownOverrides, memo, amount, maxPrice }: ContractOracleOptions = {}) => {
      const deposit = { ...(amount === undefined ? {} : { amount }), ...(maxPrice === undefined ? {} : { maxPrice }) };
      work.run = async () => {
        const known = overrides?.baseUrl ?? (oracleDid === ownDid ? baseUrl : undefined);
        const messages = await depositIn(connections, { ...deposit, oracleDid, baseUrl: known });
        return await transactSignX(messages, memo);
      };
      const answer = await resource.load();
      const { error: failure } = resource.get();
      if (failure !== undefined) throw failure;
      return answer;
    },
    [connections, transactSignX, work, resource, ownDid, ownOverrides, baseUrl],
  );
  const payClaim = useCallback(() => contractOracle(), [contractOracle]);
  return { contractOracle, isContractingOracle, payClaim, isPayingClaim: isContractingOracle, error, data };
}
