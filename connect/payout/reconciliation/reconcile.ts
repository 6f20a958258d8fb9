import { AppError } from "../../../api/platform/errors.ts";
import { type RequestContext, requireRole } from "../../../api/platform/http/index.ts";
import { formatScaled, jsonAmount, parseScaled } from "../../../api/platform/values/numbers.ts";
import { type Schemas, toMicro } from "../../../wire/src/index.ts";
import { asAppError } from "../../as-app-error.ts";
import type { PayoutDeps } from "../deps.ts";
import { statusOf } from "../orders/service.ts";
import { PartnerError, type TransferStatus } from "../partners/partner-api.ts";
import type { AttemptRow, OrderRow } from "../tables.ts";
import type { Difference, DifferenceKind, Reconciliation, ReconciliationQuery } from "./schemas.ts";

/** Most payments of one comparison: the partner is asked for each. */
const most = 1_000;
/** Questions to a partner at a time. */
const together = 8;

/**
 * Compare what the chain paid in a period with the orders, and the orders with what the partners say now. It changes nothing.
 * @throws AppError FORBIDDEN; RULE_VIOLATION for a period with more than 1000 payments; UNAVAILABLE
 */
export async function reconcile(
  deps: PayoutDeps,
  ctx: RequestContext,
  query: ReconciliationQuery,
): Promise<Reconciliation> {
  requireRole(ctx.actor, "regulator");
  const period = { from: new Date(query.paidFrom), before: new Date(query.paidBefore) };
  const payments = await paymentsIn(deps, ctx, query);
  const orders = await deps.orders.list(period, most);
  if (orders.length > most) throw tooMany();
  const attempts = (await deps.attempts.of(orders.map(({ paymentId }) => paymentId))).filter(({ calls }) => calls > 0);
  const asked = await askAll(deps, attempts);
  const differences = [
    ...comparePayments(payments, orders),
    ...attempts.flatMap((row, i) => compareAttempt(row, orders, asked[i])),
    ...paidTwice(attempts, asked),
  ];
  return {
    paidFrom: period.from.toISOString(),
    paidBefore: period.before.toISOString(),
    payments: payments.size,
    paidOnChain: jsonAmount([...payments.values()].reduce((sum, { amount }) => sum + toMicro(amount), 0n)),
    orders: totalsOf(orders),
    asked: asked.filter((answer) => answer !== undefined).length,
    differences,
  };
}

/** Read the final payments in stablecoin that partners were paid, from the time on from which they pay out. */
async function paymentsIn(deps: PayoutDeps, ctx: RequestContext, query: ReconciliationQuery) {
  const found = new Map<string, Schemas["Payment"]>();
  const client = deps.host.clientAs(ctx);
  try {
    for (const { account, payFrom } of await deps.partners.all()) {
      const paidFrom = payFrom > new Date(query.paidFrom) ? payFrom.toISOString() : query.paidFrom;
      const items = client.items("/v1/payments", { query: { account, paidFrom, paidBefore: query.paidBefore } });
      for await (const payment of items) {
        if (payment.final && payment.asset === "stablecoin" && toMicro(payment.amount) > 0n)
          found.set(payment.id, payment);
        if (found.size > most) throw tooMany();
      }
    }
  } catch (error) {
    throw asAppError(error);
  }
  return found;
}

function tooMany(): AppError {
  const message = `The period has more than ${most} payments: choose a shorter one.`;
  return new AppError("RULE_VIOLATION", message, { details: [{ path: "paidBefore", rule: "period-length", message }] });
}

function difference(
  kind: DifferenceKind,
  paymentId: string,
  { reference = null, recorded = null, found = null }: Partial<Pick<Difference, "reference" | "recorded" | "found">>,
): Difference {
  return { paymentId, kind, reference, recorded, found };
}

function comparePayments(payments: Map<string, Schemas["Payment"]>, orders: OrderRow[]): Difference[] {
  const known = new Map(orders.map((order) => [order.paymentId, order]));
  const missing = [...payments.values()].filter(({ id }) => !known.has(id));
  const without = missing.map(({ id, amount }) =>
    difference("payment-without-order", id, { found: `${formatScaled(toMicro(amount), 6)} stablecoin` }),
  );
  const compared = orders.flatMap((order) => {
    const recorded = factsOf(order.stablecoin, order.supplierDid, order.transactionHash);
    const payment = payments.get(order.paymentId);
    if (payment === undefined) return [difference("order-without-payment", order.paymentId, { recorded })];
    const found = factsOf(toMicro(payment.amount), payment.supplierDid, payment.transactionHash);
    return recorded === found ? [] : [difference("payment-differs", order.paymentId, { recorded, found })];
  });
  return [...without, ...compared];
}

function factsOf(stablecoin: bigint, supplierDid: string, transactionHash: string): string {
  return `${formatScaled(stablecoin, 6)} stablecoin for ${supplierDid} in ${transactionHash}`;
}

/** What the partner says of each attempt; undefined when it could not be asked. */
async function askAll(deps: PayoutDeps, attempts: AttemptRow[]): Promise<(TransferStatus | undefined)[]> {
  const partners = new Map((await deps.partners.all()).map((partner) => [partner.id, partner]));
  const answers: (TransferStatus | undefined)[] = [];
  for (let first = 0; first < attempts.length; first += together) {
    const part = attempts.slice(first, first + together).map(async ({ partnerId, reference }) => {
      const partner = partners.get(partnerId);
      if (partner === undefined) return undefined;
      try {
        return await deps.apis.of(partner).status(reference, AbortSignal.timeout(20_000));
      } catch (error) {
        if (error instanceof PartnerError) return undefined;
        throw error;
      }
    });
    answers.push(...(await Promise.all(part)));
  }
  return answers;
}

function compareAttempt(row: AttemptRow, orders: OrderRow[], answer: TransferStatus | undefined): Difference[] {
  const { paymentId, reference } = row;
  const recorded = row.status;
  if (answer === undefined) return [difference("partner-not-reached", paymentId, { reference, recorded })];
  // An attempt that was refused, or that is still being sent, need not be known.
  if (answer.kind === "not-found") {
    const isExpected = row.status === "failed" || row.status === "prepared" || row.status === "unknown";
    return isExpected ? [] : [difference("partner-does-not-know", paymentId, { reference, recorded })];
  }
  const found = answer.kind === "pending" ? "sent" : answer.kind;
  const isOpen = row.endedAt === null;
  // The worker has not asked since; it will.
  const isLate = isOpen && found !== "failed";
  const differs =
    found !== recorded && !isLate
      ? [difference("partner-status-differs", paymentId, { reference, recorded, found })]
      : [];
  return [...differs, ...compareAmount(row, orders, answer)];
}

function compareAmount({ paymentId, reference }: AttemptRow, orders: OrderRow[], answer: TransferStatus): Difference[] {
  const order = orders.find((each) => each.paymentId === paymentId);
  if (answer.kind !== "succeeded" || answer.amount === null || order?.amount == null) return [];
  const recorded = `${formatScaled(order.amount, 6)} ${order.currency}`;
  const said = parseScaled(answer.amount, 6);
  // An amount that cannot be read is not the one that was ordered.
  const amount = said === undefined ? `"${answer.amount.slice(0, 40)}"` : formatScaled(said, 6);
  const found = `${amount} ${answer.currency ?? order.currency}`;
  return recorded === found ? [] : [difference("partner-amount-differs", paymentId, { reference, recorded, found })];
}

function paidTwice(attempts: AttemptRow[], asked: (TransferStatus | undefined)[]): Difference[] {
  const paid = attempts.filter((_, i) => asked[i]?.kind === "succeeded");
  return [...Map.groupBy(paid, ({ paymentId }) => paymentId)]
    .filter(([, rows]) => rows.length > 1)
    .map(([paymentId, rows]) =>
      difference("paid-twice", paymentId, { found: rows.map(({ reference }) => reference).join(", ") }),
    );
}

function totalsOf(orders: OrderRow[]): Reconciliation["orders"] {
  const groups = Map.groupBy(orders, ({ status, currency }) => `${statusOf(status)} ${currency ?? ""}`);
  const sum = (rows: OrderRow[], of: (row: OrderRow) => bigint | null) =>
    rows.reduce((total, row) => total + (of(row) ?? 0n), 0n);
  return [...groups.values()].map((rows) => ({
    status: statusOf((rows[0] as OrderRow).status),
    currency: (rows[0] as OrderRow).currency,
    count: rows.length,
    stablecoin: jsonAmount(sum(rows, ({ stablecoin }) => stablecoin)),
    amount: jsonAmount(sum(rows, ({ amount }) => amount)),
    remainder: formatScaled(
      sum(rows, ({ remainder }) => remainder),
      12,
    ),
  }));
}
