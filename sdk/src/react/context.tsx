"use client";

import { createContext, type PropsWithChildren, useContext, useEffect, useMemo, useRef, useState } from "react";
import type { Method } from "../core/client.ts";
import type { AgAction } from "../core/client-tools.ts";
import { Connections } from "../core/connections.ts";
import { contextMethods } from "../core/context-methods.ts";
import type { Credentials } from "../core/credentials.ts";
import type { Mint, Network, TokenStorage, TransactSignX, Wallet } from "../core/types.ts";
import { type AgActionHandler, type AgActionRender, AgActions } from "./ag-actions.ts";
import type { UIComponents } from "./ui-components.ts";
import { useStore } from "./use-store.ts";

export type IOraclesProviderProps = {
  /** The connected user's wallet and messaging session. */
  initialWallet: Wallet;
  /** Signs and broadcasts transactions on chain. */
  transactSignX: TransactSignX;
  /** Mints the user's delegation to an oracle. */
  createDelegation: Mint;
  /** Mints a short-lived invocation. Omit to authenticate with the delegation alone. */
  createInvocation?: Mint | undefined;
  /** The chain that holds the registry of oracles; without it, oracles are asked directly. */
  network?: Network | undefined;
  /** Storage that keeps tokens across reloads, such as `sessionStorage`. By default they are kept in memory only. */
  storage?: TokenStorage | undefined;
  /** Accepted and ignored: the SDK uses no query client. */
  queryClient?: unknown;
};

export type IOraclesContext = Pick<Connections, "clientOf" | "channelOf" | "configOf"> & {
  wallet: Wallet;
  /** Signs and broadcasts transactions with the user's wallet; resolves with the wallet's result. */
  // biome-ignore lint/suspicious/noExplicitAny: each wallet has its types of transactions and results
  transactSignX: (messages: readonly any[], memo?: any) => Promise<any>;
  network: Network | undefined;
  credentials: Credentials;
  connections: Connections;
  /** Sends a request as the user, with tokens for `oracleDid`; without it, sends no tokens. @throws ApiError */
  authedRequest: <T>(url: string, method: Method, options?: RequestInit, oracleDid?: string) => Promise<T>;
  /** Returns the user's delegation to the oracle; mints one if none is valid. */
  getDelegation: (oracleDid: string) => Promise<string>;
  /** Returns the user's invocation for the oracle; null when the app mints none. */
  getInvocation: (oracleDid: string) => Promise<string | null>;
  agActions: AgAction[];
  registerAgAction: (action: AgAction, handler: AgActionHandler, render?: AgActionRender) => void;
  unregisterAgAction: (name: string) => void;
  executeAgAction: (name: string, args: unknown) => Promise<unknown>;
  getAgActionRender: (name: string) => AgActionRender | undefined;
  /** Components of all mounted chats, for messages rendered without `uiComponents`. */
  uiComponents: Set<UIComponents>;
};

export const OraclesContext = createContext<IOraclesContext | undefined>(undefined);

/**
 * Read what the nearest OraclesProvider provides.
 * @throws Error without an OraclesProvider above
 * @example
 * ```tsx
 * import { useOraclesContext } from "@hearth/oracles-client-sdk";
 *
 * export function Account() {
 *   const { wallet } = useOraclesContext();
 *   return <code>{wallet.did}</code>;
 * }
 * ```
 */
export function useOraclesContext(): IOraclesContext {
  const context = useContext(OraclesContext);
  if (context === undefined) throw new Error("useOraclesContext must be used within a OraclesProvider");
  return context;
}

/**
 * Provide the user and the user's connections to all hooks below.
 * @example
 * ```tsx
 * import { OraclesProvider } from "@hearth/oracles-client-sdk";
 * import type { ReactNode } from "react";
 *
 * const mint = async (oracleDid: string) => ({ serialized: `UCAN for ${oracleDid}`, expiresAt: Date.now() + 600_000 });
 *
 * export const App = ({ children }: { children: ReactNode }) => (
 *   <OraclesProvider
 *     initialWallet={{
 *       address: "0x8ba1f109551bd432803012645ac136ddd64dba72",
 *       did: "did:key:z6Mk",
 *       matrix: { accessToken: "syt_…", homeServer: "matrix.example.org" },
 *     }}
 *     transactSignX={async (messages) => console.log("To sign:", messages)}
 *     createDelegation={mint}
 *   >
 *     {children}
 *   </OraclesProvider>
 * );
 * ```
 */
export function OraclesProvider({ children, ...props }: PropsWithChildren<IOraclesProviderProps>) {
  const { initialWallet: wallet, transactSignX, network } = props;
  const connections = useConnections(props);
  const [actions] = useState(() => new AgActions());
  const { actions: agActions } = useStore(actions);
  const [uiComponents] = useState(() => new Set<UIComponents>());
  const value = useMemo<IOraclesContext>(
    () => ({
      wallet,
      transactSignX: async (messages, memo) => await transactSignX([...messages], memo),
      network,
      connections,
      credentials: connections.credentials,
      uiComponents,
      agActions,
      ...contextMethods(connections),
      registerAgAction: actions.register,
      unregisterAgAction: actions.unregister,
      executeAgAction: actions.execute,
      getAgActionRender: actions.renderOf,
    }),
    [wallet, transactSignX, network, connections, uiComponents, agActions, actions],
  );
  return <OraclesContext.Provider value={value}>{children}</OraclesContext.Provider>;
}

/** Keep the connections while user and network stay the same, even if the app passes new functions. */
function useConnections(props: IOraclesProviderProps): Connections {
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });
  const { initialWallet, network, storage, createInvocation } = props;
  const { rpcUrl, registryAddress, chainId } = network ?? {};
  const hasInvocation = createInvocation !== undefined;
  return useMemo(() => {
    const known = rpcUrl && registryAddress && chainId !== undefined ? { rpcUrl, registryAddress, chainId } : undefined;
    return new Connections({
      userDid: initialWallet.did,
      storage,
      network: known,
      createDelegation: (oracleDid) => latest.current.createDelegation(oracleDid),
      createInvocation: hasInvocation ? (oracleDid) => mintOf(latest.current.createInvocation)(oracleDid) : undefined,
    });
  }, [initialWallet.did, storage, rpcUrl, registryAddress, chainId, hasInvocation]);
}

function mintOf(mint: Mint | undefined): Mint {
  if (mint === undefined) throw new Error("OraclesProvider has no createInvocation any more.");
  return mint;
}
