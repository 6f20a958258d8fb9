import { OraclesProvider } from "@hearth/oracles-client-sdk";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { createDelegation, createInvocation, readServiceDid } from "../identity/bearer.ts";
import { useIdentity } from "../identity/identity.ts";
import { useSession } from "../session/session.ts";
import { ErrorNotice } from "../show/error-notice.tsx";
import { Loading } from "../show/loading.tsx";
import { sendTransactions } from "./confirm/send-transactions.ts";
import { useOracleAccess } from "./oracle-access.ts";

export type OracleAddress = { oracleDid: string; overrides: { baseUrl: string; wsUrl: string } };

/** Provide the pages below with this server's oracle, and with the user's key as the caller. */
export function OracleProvider({ children }: { children: (address: OracleAddress) => ReactNode }) {
  const { identity, error } = useIdentity();
  const { wallet } = useSession();
  const { origin } = window.location;
  const oracle = useQuery({
    queryKey: ["chat", "oracle"],
    queryFn: () => readServiceDid(origin),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const did = identity?.did ?? "";
  const user = useMemo(
    () => ({ address: wallet?.address ?? "", did, matrix: { accessToken: "", homeServer: "" } }),
    [wallet?.address, did],
  );
  const access = useOracleAccess(identity, oracle.data);
  const failure = error ?? oracle.error ?? undefined;
  if (failure !== undefined) return <ErrorNotice error={failure} onRetry={() => void oracle.refetch()} />;
  if (identity === undefined || oracle.data === undefined || access.isPending) return <Loading />;
  const address = { oracleDid: oracle.data, overrides: { baseUrl: origin, wsUrl: origin } };
  return (
    <OraclesProvider
      key={`${did} ${user.address}`}
      initialWallet={user}
      transactSignX={sendTransactions}
      createDelegation={(oracleDid) => createDelegation(identity.key, oracleDid)}
      createInvocation={(oracleDid) => createInvocation(identity.key, oracleDid)}
    >
      {access.isError && <ErrorNotice error={access.error} onRetry={() => void access.refetch()} />}
      {children(address)}
    </OraclesProvider>
  );
}
