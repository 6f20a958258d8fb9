import type { Chain } from "../../platform/chain/index.ts";
import type { RootReader } from "./verify-roots.ts";

/** Read the anchored roots from the contract. */
export function chainRoots(chain: Pick<Chain, "read">): RootReader {
  return {
    rootOf: (day) => chain.read("audits", "rootOf", [day]),
    latestDay: () => chain.read("audits", "latestDay", []),
  };
}
