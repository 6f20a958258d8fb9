import type { Chain } from "../chain/index.ts";

/** Dependencies of relaying a signed transaction. */
export type TransactionDeps = { chain: Chain };
