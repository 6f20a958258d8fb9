import { type Schemas, toMicro } from "../../../wire/src/index.ts";
import type { PayoutDeps } from "../deps.ts";
import type { OrderRow, PartnerRow } from "../tables.ts";

const pageSize = 200;

/**
 * Make an order for each payment in stablecoin that the chain made to a partner's account and can no longer lose. A payment has at
 * most one order, however often it is read.
 * @returns the number of partners
 */
export async function findOrders(deps: PayoutDeps, signal: AbortSignal): Promise<number> {
  const failures: unknown[] = [];
  const partners = await deps.partners.open();
  for (const partner of partners) {
    try {
      await findOrdersOf(deps, partner, signal);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return partners.length;
}

async function findOrdersOf(deps: PayoutDeps, partner: PartnerRow, signal: AbortSignal): Promise<void> {
  const client = deps.host.client(deps.box.open(partner.sealedKey));
  let cursor = partner.cursor;
  while (!signal.aborted) {
    const query = { account: partner.account, paidFrom: partner.payFrom.toISOString(), limit: pageSize };
    const page = await client.get("/v1/payments", { query: cursor === null ? query : { ...query, cursor } });
    const final = page.items.slice(0, firstOpenIn(page.items));
    const rows = final.filter((payment) => payment.asset === "stablecoin").map((payment) => orderOf(deps, payment));
    const added = await deps.orders.addNew(rows.filter(({ stablecoin }) => stablecoin > 0n));
    if (added > 0) deps.nudge();
    if (final.length < page.items.length || page.nextCursor === null) return;
    cursor = page.nextCursor;
    await deps.partners.setCursor(partner.id, cursor);
  }
}

function firstOpenIn(payments: Schemas["Payment"][]): number {
  const first = payments.findIndex(({ final }) => !final);
  return first < 0 ? payments.length : first;
}

function orderOf({ host }: PayoutDeps, payment: Schemas["Payment"]): OrderRow {
  const { id, claimId, supplierDid, account, amount, transactionHash, blockNumber, paidAt } = payment;
  const createdAt = host.clock.now();
  return {
    paymentId: id,
    claimId,
    supplierDid,
    account,
    stablecoin: toMicro(amount),
    transactionHash,
    blockNumber,
    paidAt: new Date(paidAt),
    status: "waiting",
    waitsFor: null,
    attempts: 0,
    currency: null,
    rateId: null,
    rate: null,
    amount: null,
    remainder: null,
    nextTryAt: createdAt,
    createdAt,
    endedAt: null,
  };
}
