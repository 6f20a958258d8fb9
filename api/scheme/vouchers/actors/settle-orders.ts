import { consentLevel } from "../../../../indexer/schema/consent-words.ts";
import { encodeRedemptionId } from "../../../../wire/src/ids.ts";
import { orUnavailable } from "../../../platform/chain/index.ts";
import type { VoucherDeps } from "../deps.ts";
import { redemptionEvents } from "../redemptions/collector.ts";
import { endedTransactions, forgetOrders, settleOrder } from "./store.ts";

/**
 * Store who made the redemptions whose request did not do it: its caller did not wait for the block, or the process was killed. Call it
 * before who acted is read.
 * @throws AppError UNAVAILABLE when the chain does not answer
 */
export async function settleOrders({ db, chain }: Pick<VoucherDeps, "db" | "chain">): Promise<void> {
  for (const transaction of await endedTransactions(db)) {
    if (transaction.status === "mined") {
      const receipt = await orUnavailable(chain.outbox.options.receipts.findVersion(transaction));
      // A reorganisation has removed its block. The outbox sends it again.
      if (receipt === null) continue;
      for (const [position, event] of redemptionEvents(chain, receipt.logs).entries()) {
        if (event.eventName === "RedemptionRefused") continue;
        const { redemption, consent } = event.args;
        const made = { redemptionId: encodeRedemptionId(redemption), consent: consentLevel(consent) };
        await settleOrder(db, { transaction: transaction.id, position }, made);
      }
    }
    await forgetOrders(db, transaction.id);
  }
}
