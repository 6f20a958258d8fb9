import type { Chain } from "../../platform/chain/index.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db/index.ts";
import type { IndexerClient } from "../../platform/indexer/index.ts";
import type { Operations } from "../../platform/operations/index.ts";
import type { CardStore, Pins } from "../cards/index.ts";
import type { CertificateDirectory } from "../certificates/index.ts";
import type { HouseholdCodes } from "../codes/index.ts";
import type { Registry } from "../registry/index.ts";
import type { OfflineOrders } from "./offline/offline-orders.ts";
import type { Vouchers } from "./vouchers.ts";

/** Dependencies of the services in this folder. */
export type VoucherDeps = {
  chain: Chain;
  clock: Clock;
  db: Database;
  indexer: IndexerClient;
  operations: Operations;
  certificates: CertificateDirectory;
  cards: CardStore;
  codes: HouseholdCodes;
  pins: Pins;
  offlineOrders: OfflineOrders;
  registry: Registry;
  vouchers: Vouchers;
};
