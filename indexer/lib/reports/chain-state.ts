/** A view of a contract with its arguments. */
export type ViewCall = {
  contract: "certificates" | "carbon" | "vouchers" | "claims" | "pool" | "itmo" | "stablecoin";
  view: string;
  args: readonly unknown[];
};

/** The contracts' views at one block. */
export type ChainState = {
  block: bigint;
  /** Addresses in lower case. */
  addresses: Record<ViewCall["contract"], string>;
  /** Answers in the order of the calls; null with the reason where they cannot be had. */
  read(calls: readonly ViewCall[]): Promise<{ answers: unknown[] } | { answers: null; reason: string }>;
};

/** So many views are read for one question. */
export const mostViews = 20_000;
