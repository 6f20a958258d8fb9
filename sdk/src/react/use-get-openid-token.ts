"use client";

import { useEffect, useMemo } from "react";
import { getOpenIdToken, type IOpenIDToken, matrixUserOf } from "../core/openid.ts";
import { Resource } from "../core/resource.ts";
import { useOraclesContext } from "./context.tsx";
import { useStore } from "./use-store.ts";

export type UseGetOpenIdTokenReturn = {
  openIdToken: IOpenIDToken | undefined;
  isLoading: boolean;
  error: Error | undefined;
  /** Requests a new token. */
  refetch: () => Promise<IOpenIDToken | undefined>;
};

/**
 * Request an OpenID token of the user's messaging account.
 * @param _forceNewToken accepted and ignored: tokens are not kept between pages, and `refetch` requests a new one
 * @throws Error outside an OraclesProvider
 * @example
 * ```tsx
 * import { useGetOpenIdToken } from "@hearth/oracles-client-sdk";
 *
 * export function TokenAge() {
 *   const { openIdToken, isLoading } = useGetOpenIdToken();
 *   return <p>{isLoading ? "Loading…" : `Valid for ${openIdToken?.expires_in} seconds`}</p>;
 * }
 * ```
 */
export function useGetOpenIdToken(_forceNewToken?: boolean): UseGetOpenIdTokenReturn {
  const { wallet } = useOraclesContext();
  const { did, address } = wallet;
  const { accessToken, homeServer } = wallet.matrix;
  const resource = useMemo(() => {
    return new Resource(async () => {
      const matrix = { accessToken, homeServer };
      const userId = await matrixUserOf({ did, address, matrix });
      return await getOpenIdToken({ userId, matrixAccessToken: accessToken, homeServer });
    });
  }, [did, address, accessToken, homeServer]);
  const { data, error, isLoading } = useStore(resource);
  // Untyped apps may omit the home server.
  const canAsk = Boolean(accessToken && homeServer);
  useEffect(() => void (canAsk && resource.ensure()), [resource, canAsk]);
  return { openIdToken: data, isLoading, error, refetch: resource.load };
}
