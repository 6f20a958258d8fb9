import type { Chain } from "./chain.ts";

/** What a call needs to reach the chain. */
export type SubmitDeps = { chain: Chain };
