import { randomUUID } from "node:crypto";
import { formatScaled } from "../../../api/platform/values/numbers.ts";
import type { PayoutDeps } from "../deps.ts";
import { priceOf } from "../money.ts";
import type { AccountRow, AttemptRow, OrderRow, PartnerRow, WaitReason } from "../tables.ts";
import type { Price } from "./store.ts";

const ordersAtATime = 50;
/** How long an order that lacks something waits before it is looked at again. What it lacks usually wakes it earlier. */
const lookAgainMs = 60_000;

type Ready = { account: AccountRow; partner: PartnerRow; price: Price };

/** Prepare the attempts of waiting orders that are due: fix the price, and store a reference for the partner. */
export async function prepareDueOrders(deps: PayoutDeps, signal: AbortSignal): Promise<void> {
  const { host, orders } = deps;
  for (const order of await orders.due(host.clock.now(), ordersAtATime)) {
    if (signal.aborted) return;
    const found = await readinessOf(deps, order);
    const now = host.clock.now();
    if (typeof found === "string") await orders.postpone(order.paymentId, found, new Date(now.getTime() + lookAgainMs));
    else await orders.prepare(order, found.price, newAttempt(order, found, now));
  }
}

/** Find what an attempt needs, or what is missing. */
async function readinessOf(deps: PayoutDeps, order: OrderRow): Promise<Ready | WaitReason> {
  const account = await deps.accounts.current(order.supplierDid, deps.host.clock.now());
  if (account === undefined) return "account";
  const partner = await deps.partners.find(account.partnerId);
  // Another account on chain belongs to somebody who was not paid for this.
  if (partner === undefined || partner.closedAt !== null || partner.account !== order.account) return "partner";
  const price = await fixedPrice(deps, order, partner);
  if (typeof price === "string") return price;
  return (await isOnChain(deps, order, partner)) ? { account, partner, price } : "receipt";
}

/** An order keeps its price in later attempts. */
async function fixedPrice(deps: PayoutDeps, order: OrderRow, partner: PartnerRow): Promise<Price | WaitReason> {
  const { currency, rateId, rate, amount, remainder } = order;
  if (currency !== null) {
    return currency === partner.currency ? { currency, rateId, rate, amount, remainder } : "currency";
  }
  const current = await deps.rates.current(partner.currency);
  if (current === undefined) return "rate";
  const priced = priceOf(order.stablecoin, current.rate, partner.unitDecimals);
  if (priced === undefined) return "amount";
  return { currency: partner.currency, rateId: current.id, rate: current.rate, ...priced };
}

/** Compare the order with the payment's receipt, which is read from the chain itself and not from the index. */
async function isOnChain({ host, box }: PayoutDeps, order: OrderRow, partner: PartnerRow): Promise<boolean> {
  const client = host.client(box.open(partner.sealedKey));
  const { facts } = await client.get("/v1/receipts/{id}", { path: { id: order.paymentId } });
  const isSame =
    facts.paid === formatScaled(order.stablecoin, 6) &&
    facts.paidInCarbonBecause === null &&
    facts.account === order.account &&
    facts.supplierDid === order.supplierDid;
  if (!isSame) host.log.error({ paymentId: order.paymentId }, "a payout order differs from the payment's receipt");
  return isSame;
}

function newAttempt(order: OrderRow, { account, partner }: Ready, now: Date): AttemptRow {
  return {
    reference: randomUUID(),
    paymentId: order.paymentId,
    number: order.attempts + 1,
    partnerId: partner.id,
    accountId: account.id,
    sealedNumber: account.sealedNumber,
    sealedHolder: account.sealedHolder,
    status: "prepared",
    calls: 0,
    notMade: 0,
    isRefused: false,
    reason: null,
    partnerTransaction: null,
    turns: 0,
    nextTryAt: now,
    createdAt: now,
    calledAt: null,
    sentAt: null,
    askedAt: null,
    endedAt: null,
  };
}
