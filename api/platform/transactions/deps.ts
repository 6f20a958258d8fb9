import type { Chain } from "../chain/index.ts";

/** What relaying a signed transaction works with. */
export type TransactionDeps = { chain: Chain };
