import type { Chain } from "../../platform/chain/index.ts";
import type { Governance } from "./governance.ts";

/** What the services of this folder work with. */
export type GovernanceDeps = {
  chain: Chain;
  governance: Governance;
};
