import type { Chain } from "../../platform/chain/index.ts";
import type { CertificateDirectory } from "../certificates/index.ts";
import { openRedemptionCollector, type RedemptionCollector } from "./redemptions/collector.ts";
import { RedemptionLedger } from "./redemptions/ledger.ts";
import { VoucherLedger } from "./voucher-ledger.ts";

/** What the vouchers' services use, and what other features use of vouchers and redemptions. */
export type Vouchers = {
  ledger: VoucherLedger;
  redemptionLedger: RedemptionLedger;
  redemptions: RedemptionCollector;
};

export function openVouchers({ chain, certificates }: { chain: Chain; certificates: CertificateDirectory }): Vouchers {
  const ledger = new VoucherLedger(chain, certificates);
  return {
    ledger,
    redemptionLedger: new RedemptionLedger(chain),
    redemptions: openRedemptionCollector(chain, ledger),
  };
}
