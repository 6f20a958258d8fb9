import type { Chain } from "../../platform/chain/index.ts";
import type { Governance } from "./governance.ts";

/** Dependencies of the services in this folder. */
export type GovernanceDeps = {
  chain: Chain;
  governance: Governance;
};
