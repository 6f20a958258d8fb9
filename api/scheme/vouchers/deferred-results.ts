import { encodeRedemptionId, encodeVoucherId } from "../../../wire/src/ids.ts";
import { type Chain, eventsIn, type ResultReader } from "../../platform/chain/index.ts";
import { AppError } from "../../platform/errors.ts";
import { jsonAmount } from "../../platform/values/numbers.ts";
import { readSettled } from "./redemptions/collector.ts";
import type { VoucherLedger } from "./voucher-ledger.ts";

/** Define the results of operations for voucher transactions whose caller did not wait for the block. */
export function voucherResults(chain: Chain, ledger: VoucherLedger): Record<string, ResultReader> {
  const issued: ResultReader = (mined) => {
    const at = { contract: "vouchers", address: chain.addresses.vouchers, eventName: "VoucherIssued" } as const;
    const [event] = eventsIn(mined.logs, at);
    return event === undefined ? {} : { voucherId: encodeVoucherId(event.args.voucher) };
  };
  const redeemed: ResultReader = (mined, position) => {
    const settled = readSettled(chain, ledger, mined)[position];
    if (settled instanceof AppError) throw settled;
    if (settled === undefined) return {};
    const { redemption, remaining } = settled;
    return { redemptionId: encodeRedemptionId(redemption), remainingBalance: jsonAmount(remaining) };
  };
  return { "voucher.issue": issued, "voucher.reissue": issued, "voucher.redeem": redeemed };
}
