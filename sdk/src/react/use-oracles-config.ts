"use client";

import { useEffect } from "react";
import type { IAuthzConfig } from "../core/authz-config.ts";
import type { OracleConfig } from "../core/config.ts";
import { configFor, withOverrides } from "../core/oracle-urls.ts";
import type { Overrides } from "../core/types.ts";
import { useOraclesContext } from "./context.tsx";
import { useStore } from "./use-store.ts";

export type UseOraclesConfigReturn = {
  /** Contains only `overrides` until loaded. */
  config: Omit<Partial<OracleConfig>, "apiUrl" | "socketUrl"> & {
    apiUrl: string | null;
    socketUrl: string | null;
    authConfig: IAuthzConfig | undefined;
  };
  isLoading: boolean;
  /** The oracle's API URL is known. */
  isReady: boolean;
  error: Error | undefined;
  refetch: () => Promise<OracleConfig | undefined>;
};

/**
 * Read an oracle's public configuration: its URLs, model and price, from the registry on chain and the oracle itself.
 * @throws Error outside an OraclesProvider
 * @example
 * ```tsx
 * import { useOraclesConfig } from "@hearth/oracles-client-sdk";
 *
 * export function OracleName({ oracleDid }: { oracleDid: string }) {
 *   const { config, isReady, error } = useOraclesConfig(oracleDid);
 *   return <h1>{error?.message ?? (isReady ? config.name : "Loading…")}</h1>;
 * }
 * ```
 */
export function useOraclesConfig(oracleDid: string, overrides: Overrides = {}): UseOraclesConfigReturn {
  const { configOf, wallet } = useOraclesContext();
  const resource = configOf(oracleDid, overrides.baseUrl);
  const { data, error, isLoading } = useStore(resource);
  useEffect(() => void (oracleDid !== "" && resource.ensure()), [resource, oracleDid]);
  const config = configFor(wallet.address, data, overrides);
  return { config, isLoading, isReady: config.apiUrl !== null, error, refetch: resource.load };
}

export type OracleUrls = {
  baseUrl: string | undefined;
  wsUrl: string | undefined;
  isReady: boolean;
  error: Error | undefined;
};

/** Find an oracle's URLs. With a base URL in `overrides`, nothing is looked up. */
export function useOracleUrls(oracleDid: string, overrides: Overrides = {}): OracleUrls {
  const { configOf, connections } = useOraclesContext();
  const resource = configOf(oracleDid, overrides.baseUrl);
  const { data, error } = useStore(resource);
  const isNeeded = overrides.baseUrl === undefined && oracleDid !== "";
  useEffect(() => void (isNeeded && resource.ensure()), [resource, isNeeded]);
  const { baseUrl: ownUrl, wsUrl: ownSocketUrl } = overrides;
  useEffect(() => {
    if (oracleDid !== "") connections.inUse.set({ oracleDid, overrides: { baseUrl: ownUrl, wsUrl: ownSocketUrl } });
  }, [connections, oracleDid, ownUrl, ownSocketUrl]);
  const { apiUrl: baseUrl, socketUrl: wsUrl = baseUrl } = withOverrides(isNeeded ? data : undefined, overrides);
  return { baseUrl, wsUrl, isReady: baseUrl !== undefined, error: isNeeded ? error : undefined };
}
