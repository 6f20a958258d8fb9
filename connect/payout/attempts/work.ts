import type { PayoutDeps } from "../deps.ts";
import { type PartnerApi, PartnerError, type TransferStatus } from "../partners/partner-api.ts";
import type { AttemptRow, PartnerRow } from "../tables.ts";

const attemptsAtATime = 100;
/** How long a process keeps an attempt: longer than its calls to the partner can take. */
const leaseMs = 180_000;
const firstPauseMs = 2_000;
const longestPauseMs = 10 * 60_000;
/** A partner that does not know a reference may still be receiving the call. */
const settleMs = 30_000;

const after = (now: Date, ms: number) => new Date(now.getTime() + ms);
const pauseOf = ({ turns }: AttemptRow) => Math.min(longestPauseMs, firstPauseMs * 2 ** Math.min(turns, 12));

/** Work on the attempts that are due: each partner's one after the other. */
export async function workOnDueAttempts(deps: PayoutDeps, signal: AbortSignal): Promise<void> {
  const due = await deps.attempts.due(deps.host.clock.now(), attemptsAtATime);
  const results = await Promise.allSettled(
    [...Map.groupBy(due, ({ partnerId }) => partnerId)].map(async ([partnerId, rows]) => {
      const partner = await deps.partners.find(partnerId);
      if (partner === undefined) throw new Error(`There is no payout partner ${partnerId}.`);
      for (const row of rows) if (!signal.aborted) await workOn(deps, partner, row, signal);
    }),
  );
  const failed = results.find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

/**
 * Take an attempt one step further. A transfer is asked for with the attempt's only reference. Whenever an answer was lost, the
 * status is asked before anything else, and the call is repeated only when the partner does not know the reference.
 */
export async function workOn(
  deps: PayoutDeps,
  partner: PartnerRow,
  row: AttemptRow,
  signal: AbortSignal,
): Promise<void> {
  const api = deps.apis.of(partner);
  if (row.status === "prepared") return callAndAsk(deps, api, row, signal);
  const now = deps.host.clock.now();
  const taken = await deps.attempts.take(row, after(now, leaseMs), now);
  if (taken !== undefined) await askStatus(deps, api, taken, signal);
}

async function callAndAsk(deps: PayoutDeps, api: PartnerApi, row: AttemptRow, signal: AbortSignal): Promise<void> {
  const { attempts, host } = deps;
  const called = await call(deps, api, row, signal);
  // The partner has it; or it did nothing, and the same call is made later.
  if (called?.status !== "unknown") return;
  const now = host.clock.now();
  const taken = await attempts.take(called, after(now, leaseMs), now);
  if (taken !== undefined) await askStatus(deps, api, taken, signal);
}

/** Ask for the transfer. @returns the attempt after it; undefined when another process has it */
async function call(
  deps: PayoutDeps,
  api: PartnerApi,
  row: AttemptRow,
  signal: AbortSignal,
): Promise<AttemptRow | undefined> {
  const { attempts, box, host, orders } = deps;
  const order = await orders.find(row.paymentId);
  if (order?.amount == null || order.currency === null) throw new Error(`The payout ${row.paymentId} has no price.`);
  const begun = host.clock.now();
  const taken = await attempts.beginCall(row, after(begun, leaseMs), begun);
  if (taken === undefined) return undefined;
  const { reference, paymentId } = row;
  const transfer = {
    reference,
    paymentId,
    amount: order.amount,
    currency: order.currency,
    number: box.open(row.sealedNumber),
    holder: box.open(row.sealedHolder),
  };
  const outcome = await api.transfer(transfer, signal);
  const now = host.clock.now();
  if (outcome.kind !== "accepted") {
    host.log.warn({ reference, paymentId, outcome: outcome.kind }, "a payout was not accepted by the partner");
  }
  return attempts.recordCall(taken, outcome, after(now, pauseOf(taken)), now);
}

async function askStatus(deps: PayoutDeps, api: PartnerApi, row: AttemptRow, signal: AbortSignal): Promise<void> {
  const { attempts, host } = deps;
  let status: TransferStatus;
  try {
    status = await api.status(row.reference, signal);
  } catch (error) {
    if (!(error instanceof PartnerError)) throw error;
    host.log.warn({ reference: row.reference, reason: error.message }, "a payout's status could not be asked");
    await attempts.postpone(row, after(host.clock.now(), pauseOf(row)));
    return;
  }
  const now = host.clock.now();
  if (status.kind === "pending") await attempts.recordPending(row, after(now, pauseOf(row)), now);
  else if (status.kind === "succeeded") {
    const { partnerTransaction } = status;
    await attempts.end(row, { status: "succeeded", partnerTransaction }, now);
  } else if (status.kind === "failed") await attempts.end(row, { status: "failed", reason: status.reason }, now);
  else await whenUnknownToPartner(deps, api, row, signal);
}

/** The partner does not know the reference. */
async function whenUnknownToPartner(
  deps: PayoutDeps,
  api: PartnerApi,
  row: AttemptRow,
  signal: AbortSignal,
): Promise<void> {
  const { attempts, host } = deps;
  const now = host.clock.now();
  const isCertain = row.calls === row.notMade;
  if (isCertain && row.isRefused) {
    await attempts.end(row, { status: "failed", reason: row.reason ?? "" }, now);
    return;
  }
  const mayArrive = !isCertain && row.calledAt !== null && row.calledAt > after(now, -settleMs);
  if (mayArrive) await attempts.postpone(row, after(now, Math.max(pauseOf(row), settleMs)));
  else await call(deps, api, row, signal);
}
