/** The first node of RPC_URL; undefined without one. */
export const configuredRpcUrl = (): string | undefined => process.env.RPC_URL?.split(",")[0]?.trim() || undefined;

/** The first node of RPC_URL, or else that of the embedded chain. */
export const defaultRpcUrl = (): string => configuredRpcUrl() ?? `http://127.0.0.1:${process.env.CHAIN_PORT ?? 8545}`;
