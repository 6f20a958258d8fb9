import type { Chain } from "../../platform/chain/index.ts";
import type { Database } from "../../platform/db/index.ts";
import { HouseholdDirectory } from "./households/directory.ts";
import { openLocationStore } from "./households/locations.ts";
import { openRegistrationCollector } from "./households/registration-collector.ts";
import { openHouseholdStore } from "./households/store.ts";
import { ImplementerDirectory } from "./implementers/directory.ts";
import { openImplementerStore } from "./implementers/store.ts";
import { IssuerDirectory } from "./issuers/directory.ts";
import { openIssuerStore } from "./issuers/store.ts";
import { openLedger } from "./ledger.ts";
import { PlanDirectory } from "./monitoring-plans/directory.ts";
import { openPlanStore } from "./monitoring-plans/store.ts";
import { ProductDirectory } from "./products/directory.ts";
import { openPriceStore } from "./products/prices.ts";
import { openProductStore } from "./products/store.ts";
import { SupplierDirectory } from "./suppliers/directory.ts";
import { openSupplierStore } from "./suppliers/store.ts";

export type RegistrySource = {
  db: Database;
  chain: Chain;
  /** HMAC key of household hashes, 64 hexadecimal digits. */
  schemeKey: string;
};

/**
 * Open the registry of participants, products and plans. Other features use the directories; only the registry's
 * services use `stores`, `ledger` and `registrations`.
 */
export function openRegistry({ db, chain, schemeKey }: RegistrySource) {
  const ledger = openLedger(chain);
  const stores = {
    households: openHouseholdStore(db),
    locations: openLocationStore(db),
    implementers: openImplementerStore(db),
    suppliers: openSupplierStore(db),
    products: openProductStore(db),
    prices: openPriceStore(db),
    plans: openPlanStore(db),
    issuers: openIssuerStore(db),
  };
  return {
    households: new HouseholdDirectory(stores.households, ledger, schemeKey),
    implementers: new ImplementerDirectory(stores.implementers, ledger),
    suppliers: new SupplierDirectory(stores.suppliers, ledger),
    products: new ProductDirectory(stores.products, ledger),
    plans: new PlanDirectory(stores.plans, ledger),
    issuers: new IssuerDirectory(stores.issuers, ledger),
    /** Registrations of households that wait for their transaction. */
    registrations: openRegistrationCollector(chain),
    ledger,
    stores,
  };
}
export type Registry = ReturnType<typeof openRegistry>;
