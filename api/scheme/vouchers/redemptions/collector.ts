import type { Address, Hex, Log } from "viem";
import { type ConsentLevel, consentLevel } from "../../../../indexer/schema/consent-words.ts";
import { voucherOfRedemption } from "../../../../wire/src/ids.ts";
import {
  abis,
  BatchCollector,
  type Chain,
  eventsIn,
  type MinedCall,
  type Opening,
  redemptionError,
} from "../../../platform/chain/index.ts";
import { AppError } from "../../../platform/errors.ts";
import type { ActedBy } from "../../../platform/http/index.ts";
import { saveOrders } from "../actors/store.ts";
import type { LedgerConsent } from "../consent/consent.ts";
import type { VoucherLedger } from "../voucher-ledger.ts";

export type RedemptionOrder = {
  voucher: bigint;
  supplier: number;
  product: number;
  amount: bigint;
  opening: Opening | undefined;
  /** Undefined for no consent. */
  consent: LedgerConsent | undefined;
  /** Who acts for the household, and when. */
  acting: ActedBy & { at: Date };
};

/** A redemption as recorded by the ledger. Amounts are in micro-CARBON, times in seconds. */
export type Settled = {
  redemption: bigint;
  remaining: bigint;
  deadline: number;
  redeemedAt: bigint;
  consent: ConsentLevel;
  transactionHash: Hex;
  /** Place in the transaction, from 0. */
  position: number;
};

/** At least twice the gas that the snapshot measures for each part. Unused gas is not paid for. */
const gas = { order: 110_000n, opening: 80_000n, proofStep: 2_500n, consent: 320_000n };

export type RedemptionCollector = BatchCollector<RedemptionOrder, Settled>;

/** Collect redemptions that arrive together and settle them in one transaction. */
export function openRedemptionCollector(chain: Chain, ledger: VoucherLedger): RedemptionCollector {
  const caller = chain.senders.operator.address;
  return new BatchCollector<RedemptionOrder, Settled>(chain, {
    purpose: "voucher.redeem",
    sender: "operator",
    contract: "vouchers",
    functionName: "redeemMany",
    maxOrders: 1_000,
    gatherMs: 5,
    // The ledger reads supplier and product only when they differ from the previous order's.
    compare: (a, b) => a.supplier - b.supplier || a.product - b.product,
    gasOf,
    argsOf,
    review: async (orders) => await review(chain, caller, orders),
    alsoStore: (tx, transactionId, orders) =>
      saveOrders(
        tx,
        transactionId,
        orders.map(({ acting }) => acting),
      ),
    read: (mined) => readSettled(chain, ledger, mined),
  });
}

/**
 * Find each order's refusal on its own. Only the ledger, after taking an earlier order, refuses a later one for what
 * that used up.
 */
async function review(chain: Chain, caller: Address, orders: RedemptionOrder[]): Promise<(AppError | null)[]> {
  const verdicts = await simulate(chain, caller, argsOf(orders));
  const alone = orders.map(async (order, i) => {
    const together = verdicts[i] ?? 0;
    if (together === 0 || orders.length === 1) return together;
    return (await simulate(chain, caller, argsOf([order])))[0] ?? 0;
  });
  return (await Promise.all(alone)).map((verdict) => redemptionError(verdict));
}

/** Find what the ledger would refuse an order for, without sending it; null for nothing. */
export async function refusalOf(chain: Chain, order: RedemptionOrder): Promise<AppError | null> {
  return (await review(chain, chain.senders.operator.address, [order]))[0] ?? null;
}

/** Simulate a batch and return the verdict of each order, after the ones before it. Nothing is sent. */
async function simulate(chain: Chain, account: Address, args: ReturnType<typeof argsOf>): Promise<readonly number[]> {
  const call = { address: chain.addresses.vouchers, abi: abis.vouchers, functionName: "redeemMany", args } as const;
  return (await chain.client.simulateContract({ ...call, account })).result;
}

function gasOf({ opening, consent }: RedemptionOrder): bigint {
  const forOpening = opening === undefined ? 0n : gas.opening + gas.proofStep * BigInt(opening.proof.length);
  return gas.order + forOpening + (consent === undefined ? 0n : gas.consent);
}

function argsOf(orders: RedemptionOrder[]) {
  const openings = new Map<bigint, Opening>();
  for (const { opening } of orders) if (opening !== undefined) openings.set(opening.voucher, opening);
  const plain = orders.map(({ voucher, supplier, product, amount }) => ({ voucher, supplier, product, amount }));
  const consents = orders.flatMap(({ consent }, order) => (consent === undefined ? [] : [{ order, ...consent }]));
  return [[...openings.values()], plain, consents] as const;
}

/** Read one of two events for each order, in order. */
export function readSettled(chain: Chain, ledger: VoucherLedger, mined: MinedCall): (Settled | AppError)[] {
  return redemptionEvents(chain, mined.logs).map((event, position) => {
    if (event.eventName === "RedemptionRefused") {
      return redemptionError(event.args.rules) ?? new AppError("RULE_VIOLATION", "The ledger refuses the redemption.");
    }
    const { redemption, remaining, deadline, consent } = event.args;
    ledger.noteOpened(voucherOfRedemption(redemption));
    const { transactionHash, blockTimestamp: redeemedAt } = mined;
    return { redemption, remaining, deadline, redeemedAt, consent: consentLevel(consent), transactionHash, position };
  });
}

/** The outcome of each order of a transaction, in their order. */
export function redemptionEvents(chain: Chain, logs: Log[]) {
  const address = chain.addresses.vouchers;
  const eventName: ("VoucherRedeemed" | "RedemptionRefused")[] = ["VoucherRedeemed", "RedemptionRefused"];
  return eventsIn(logs, { contract: "vouchers", address, eventName });
}
