"use client";

import { useCallback, useEffect } from "react";
import type { IModel } from "../core/models.ts";
import type { Overrides } from "../core/types.ts";
import { useOraclesContext } from "./context.tsx";
import { useOracleUrls } from "./use-oracles-config.ts";
import { useMaybeStore } from "./use-store.ts";

export type UseModelsReturn = {
  models: IModel[];
  /** Id of the model that answers unless a message or `useChat` names another; undefined until loaded. */
  defaultModelId: string | undefined;
  /** The default model itself. */
  defaultModel: IModel | undefined;
  isLoading: boolean;
  error: Error | null;
  refetch: () => void;
};

const none: IModel[] = [];

/**
 * List the models that an oracle can answer with.
 * @throws Error outside an OraclesProvider
 * @example
 * ```tsx
 * import { useModels } from "@hearth/oracles-client-sdk";
 *
 * export function ModelMenu({ oracleDid, onChoose }: { oracleDid: string; onChoose: (id: string) => void }) {
 *   const { models, defaultModelId } = useModels(oracleDid);
 *   return (
 *     <select defaultValue={defaultModelId} onChange={(event) => onChoose(event.target.value)}>
 *       {models.map(({ id, label }) => (
 *         <option key={id} value={id}>
 *           {label}
 *         </option>
 *       ))}
 *     </select>
 *   );
 * }
 * ```
 */
export function useModels(oracleDid: string, overrides?: Overrides): UseModelsReturn {
  const { connections } = useOraclesContext();
  const { baseUrl, error: urlError } = useOracleUrls(oracleDid, overrides);
  const resource = baseUrl === undefined ? undefined : connections.modelsOf(baseUrl);
  const { data, error } = useMaybeStore(resource) ?? {};
  useEffect(() => void resource?.ensure(), [resource]);
  const models = data?.models ?? none;
  const defaultModelId = data?.default ?? undefined;
  const failure = error ?? urlError;
  return {
    models,
    defaultModelId,
    error: failure ?? null,
    defaultModel: models.find(({ id }) => id === defaultModelId) ?? models.find(({ isDefault }) => isDefault),
    isLoading: data === undefined && failure === undefined,
    refetch: useCallback(() => void resource?.load(), [resource]),
  };
}
