import { useEffect } from "react";
import type { IModel } from "../core/models.ts";
import type { Overrides } from "../core/types.ts";
import { useOraclesContext } from "./context.tsx";
import { useOracleUrls } from "./use-oracles-config.ts";
import { useMaybeStore } from "./use-store.ts";

export type UseModelsReturn = {
  models: IModel[];
  /** Id of the one that answers unless a message names another. */
  defaultModel: string | undefined;
  isLoading: boolean;
  error: Error | undefined;
  refetch: () => Promise<void>;
};

/** The models that an oracle can answer with. */
export function useModels(oracleDid: string, overrides?: Overrides): UseModelsReturn {
  const { connections } = useOraclesContext();
  const { baseUrl, error: urlError } = useOracleUrls(oracleDid, overrides);
  const resource = baseUrl === undefined ? undefined : connections.modelsOf(baseUrl);
  const { data, error, isLoading = true } = useMaybeStore(resource) ?? {};
  useEffect(() => void resource?.ensure(), [resource]);
  const refetch = async () => void (await resource?.load());
  const defaultModel = data?.default ?? undefined;
  return { models: data?.models ?? [], defaultModel, isLoading, error: error ?? urlError, refetch };
}
