import type { Hex } from "viem";
import { voucherOfRedemption } from "../../indexer/schema/ids.ts";
import { BatchCollector } from "../chain/batch.ts";
import type { Chain } from "../chain/chain.ts";
import { eventsIn } from "../chain/contracts.ts";
import type { MinedCall } from "../chain/outbox.ts";
import { redemptionRefusal } from "../chain/redemption-rules.ts";
import { AppError } from "../errors.ts";
import type { Opening, VoucherLedger } from "./voucher-ledger.ts";

export type RedemptionOrder = {
  voucher: bigint;
  supplier: number;
  product: number;
  amount: bigint;
  opening: Opening | undefined;
  authorization: { signature: Hex; nonce: bigint; deadline: bigint } | undefined;
};

/** A redemption as the ledger recorded it. Amounts are micro-CARBON, times seconds. */
export type Settled = {
  redemption: bigint;
  remaining: bigint;
  deadline: number;
  redeemedAt: bigint;
  transactionHash: Hex;
};

/** Twice and more of what the snapshot measures for each part; what is not used is not paid. */
const gas = { order: 110_000n, opening: 80_000n, proofStep: 2_500n, authorization: 320_000n };

export type RedemptionCollector = BatchCollector<RedemptionOrder, Settled>;

/** Settles redemptions that arrive together in one transaction. */
export function openRedemptionCollector(chain: Chain, ledger: VoucherLedger): RedemptionCollector {
  const caller = chain.senders.operator.address;
  return new BatchCollector<RedemptionOrder, Settled>(chain, {
    purpose: "voucher.redeem",
    sender: "operator",
    contract: "vouchers",
    functionName: "redeemMany",
    maxOrders: 1_000,
    gatherMs: 5,
    // The ledger asks about supplier and product only when they differ from the order before.
    compare: (a, b) => a.supplier - b.supplier || a.product - b.product,
    gasOf,
    argsOf,
    review: async (orders) => {
      const verdicts = await chain.read("vouchers", "reviewRedemptions", [...argsOf(orders), caller]);
      return verdicts.map((verdict) => redemptionRefusal(verdict));
    },
    read: (mined) => readSettled(chain, ledger, mined),
  });
}

function gasOf({ opening, authorization }: RedemptionOrder): bigint {
  const forOpening = opening === undefined ? 0n : gas.opening + gas.proofStep * BigInt(opening.proof.length);
  return gas.order + forOpening + (authorization === undefined ? 0n : gas.authorization);
}

function argsOf(orders: RedemptionOrder[]) {
  const openings = new Map<bigint, Opening>();
  for (const { opening } of orders) if (opening !== undefined) openings.set(opening.voucher, opening);
  const plain = orders.map(({ voucher, supplier, product, amount }) => ({ voucher, supplier, product, amount }));
  const authorizations = orders.flatMap(({ authorization }, order) =>
    authorization === undefined ? [] : [{ order, ...authorization }],
  );
  return [[...openings.values()], plain, authorizations] as const;
}

/** The ledger emits one of two events for each order, in order. */
export function readSettled(chain: Chain, ledger: VoucherLedger, mined: MinedCall): (Settled | AppError)[] {
  const address = chain.addresses.vouchers;
  const eventName: ("VoucherRedeemed" | "RedemptionRefused")[] = ["VoucherRedeemed", "RedemptionRefused"];
  return eventsIn(mined.logs, { contract: "vouchers", address, eventName }).map((event) => {
    if (event.eventName === "RedemptionRefused") {
      return (
        redemptionRefusal(event.args.rules) ?? new AppError("RULE_VIOLATION", "The ledger refuses the redemption.")
      );
    }
    const { redemption, remaining, deadline } = event.args;
    ledger.noteOpened(voucherOfRedemption(redemption));
    const { transactionHash, blockTimestamp: redeemedAt } = mined;
    return { redemption, remaining, deadline, redeemedAt, transactionHash };
  });
}
