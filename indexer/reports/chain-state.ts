/** A view of a contract with its arguments. */
export type ViewCall = {
  contract:
    | "certificates"
    | "carbon"
    | "vouchers"
    | "claims"
    | "pool"
    | "itmo"
    | "authorizations"
    | "invalidationBuffer"
    | "stablecoin";
  view: string;
  args: readonly unknown[];
};

/** The contracts' views at one block. */
export type ChainState = {
  block: bigint;
  /** Addresses in lower case. */
  addresses: Record<ViewCall["contract"], string>;
  /** Results in the order of the calls; null with the reason if they are unavailable. */
  read(calls: readonly ViewCall[]): Promise<{ answers: unknown[] } | { answers: null; reason: string }>;
};

/** Most views that are read for one request. */
export const mostViews = 20_000;
