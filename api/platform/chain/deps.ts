import type { Chain } from "./chain.ts";

/** Dependencies of a contract call. */
export type SubmitDeps = { chain: Chain };
