import type { Chain } from "../chain/chain.ts";

/** What relaying a signed transaction works with. */
export type TransactionDeps = { chain: Chain };
