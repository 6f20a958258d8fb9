import type { Chain } from "../../platform/chain/chain.ts";
import type { Registry } from "../registry/registry.ts";
import { openRedemptionCollector, type RedemptionCollector } from "./redemption-collector.ts";
import { RedemptionLedger } from "./redemption-ledger.ts";
import { VoucherLedger } from "./voucher-ledger.ts";

/** What the vouchers' services need for themselves, and other features of vouchers and redemptions. */
export type Vouchers = {
  ledger: VoucherLedger;
  redemptionLedger: RedemptionLedger;
  redemptions: RedemptionCollector;
};

export function openVouchers({ chain, registry }: { chain: Chain; registry: Registry }): Vouchers {
  const ledger = new VoucherLedger(chain, registry.certificates);
  return {
    ledger,
    redemptionLedger: new RedemptionLedger(chain),
    redemptions: openRedemptionCollector(chain, ledger),
  };
}
