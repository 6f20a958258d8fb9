import {
  type Call,
  encodeCall,
  eventsIn,
  type MinedCall,
  submitCall,
  sweepableOn,
} from "../../platform/chain/index.ts";
import { AppError, refuseBrokenRules } from "../../platform/errors.ts";
import type { RequestContext } from "../../platform/http/index.ts";
import { voucherReservingCall } from "../certificates/index.ts";
import { manageScope, requireOwnCertificate, requireSupervisor } from "./access.ts";
import type { VoucherDeps } from "./deps.ts";
import { type Days, datesOrdered, daysOf } from "./issue.ts";
import { lifecycleReading } from "./limits.ts";
import { findVoucher, serializeNow } from "./read.ts";
import type { ChangedVoucher, IssuedVoucher, ReissueRequest } from "./schemas.ts";
import { dayOfSeconds, serializeVoucher } from "./serialize-voucher.ts";
import type { VoucherFacts } from "./voucher-ledger.ts";

type Reasoned = { voucherId: string; reason: string };

/** Suspend a voucher, as regulator or evaluator. @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT */
export async function suspendVoucher(deps: VoucherDeps, ctx: RequestContext, input: Reasoned): Promise<ChangedVoucher> {
  return await supervise(deps, ctx, input, "suspend");
}

/** Reactivate a voucher, as regulator or evaluator. @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT */
export async function reactivateVoucher(
  deps: VoucherDeps,
  ctx: RequestContext,
  input: Reasoned,
): Promise<ChangedVoucher> {
  return await supervise(deps, ctx, input, "reactivate");
}

async function supervise(
  deps: VoucherDeps,
  ctx: RequestContext,
  { voucherId, reason }: Reasoned,
  functionName: "suspend" | "reactivate",
): Promise<ChangedVoucher> {
  const facts = await findVoucher(deps, ctx, voucherId);
  const sender = requireSupervisor(ctx);
  const mined = await changeVoucher(deps, ctx, facts, { sender, functionName, args: [facts.id, reason] });
  return await serializeChanged(deps, ctx, facts, mined);
}

/**
 * Cancel a voucher, as implementer: its balance returns to the certificate. @throws AppError NOT_FOUND, FORBIDDEN,
 * CONFLICT
 */
export async function cancelVoucher(
  deps: VoucherDeps,
  ctx: RequestContext,
  { voucherId, reason }: Reasoned,
): Promise<ChangedVoucher> {
  const facts = await findVoucher(deps, ctx, voucherId);
  await requireOwnCertificate(deps, ctx, facts.certificate, manageScope);
  const args = [facts.id, reason] as const;
  const mined = await changeVoucher(deps, ctx, facts, { sender: "operator", functionName: "cancel", args });
  return await serializeChanged(deps, ctx, facts, mined);
}

/** Sweep an expired voucher, as anyone: its balance goes to the pool's reserve. @throws AppError NOT_FOUND, CONFLICT */
export async function sweepVoucher(
  deps: VoucherDeps,
  ctx: RequestContext,
  { voucherId }: { voucherId: string },
): Promise<ChangedVoucher> {
  const facts = await findVoucher(deps, ctx, voucherId);
  await refuseUnsweepable(deps, facts);
  const args = [facts.id] as const;
  const mined = await changeVoucher(deps, ctx, facts, { sender: "operator", functionName: "sweep", args });
  return await serializeChanged(deps, ctx, facts, mined);
}

/**
 * Reissue a cancelled voucher: one new voucher with the same balance for the same household.
 * @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT (not cancelled, reissued already, or a campaign's certificate counts the
 * household's year), RULE_VIOLATION
 */
export async function reissueVoucher(
  deps: VoucherDeps,
  ctx: RequestContext,
  { voucherId, attributes }: ReissueRequest & { voucherId: string },
): Promise<IssuedVoucher> {
  const facts = await findVoucher(deps, ctx, voucherId);
  await requireOwnCertificate(deps, ctx, facts.certificate, manageScope);
  const days: Days = attributes === undefined ? await deps.vouchers.ledger.reissueDays(facts) : daysOf(attributes);
  refuseBrokenRules(datesOrdered(days));
  const { startDay, expiryDay } = days;
  const mined = await submitCall(deps, ctx, {
    ...(await reservingCallOf(deps, facts)),
    sender: "operator",
    contract: "vouchers",
    functionName: "reissue",
    args: [facts.id, startDay, expiryDay, attributes?.batchId ?? facts.batchId],
    purpose: "voucher.reissue",
    part: "change",
    reading: await lifecycleReading(deps),
  });
  const at = { contract: "vouchers", address: deps.chain.addresses.vouchers, eventName: "VoucherIssued" } as const;
  const [event] = eventsIn(mined.logs, at);
  if (event === undefined) throw new Error(`Transaction ${mined.transactionHash} reissued no voucher.`);
  const { voucher: id, value, batchId } = event.args;
  const origin = { leaf: undefined, replaces: facts.id, issueTransactionHash: mined.transactionHash };
  const replacement: VoucherFacts = { ...facts, id, value, startDay, expiryDay, batchId, ...origin };
  const today = dayOfSeconds(mined.blockTimestamp);
  const shown = await serializeVoucher(
    deps,
    ctx,
    replacement,
    { status: "active", remaining: value, expiryDay },
    today,
  );
  return { ...shown, transactionHash: mined.transactionHash };
}

/**
 * Reserve the household of a voucher of a certificate without allocations again: while the voucher was cancelled, a campaign's
 * certificate may have come to count the household's year.
 */
async function reservingCallOf(deps: VoucherDeps, { certificate, household }: VoucherFacts) {
  const row = await deps.certificates.byIndex(certificate);
  return row === null || row.facts.allocationCount > 0 ? {} : voucherReservingCall(deps, row, household);
}

type ChangeName = "suspend" | "reactivate" | "cancel" | "sweep";
type Change<F extends ChangeName> = Pick<Call<"vouchers", F>, "sender" | "functionName" | "args">;

/**
 * Change a voucher. A voucher of a batch without a slot in the ledger is opened in the same transaction, so that a
 * refused change opens nothing.
 */
async function changeVoucher<F extends ChangeName>(
  deps: VoucherDeps,
  ctx: RequestContext,
  facts: VoucherFacts,
  change: Change<F>,
): Promise<MinedCall> {
  const { ledger } = deps.vouchers;
  const purpose = `voucher.${change.functionName}`;
  const reading = await lifecycleReading(deps);
  const call = { ...change, contract: "vouchers", purpose, part: "change", reading } as const;
  const known = await ledger.openingOf(facts);
  const opening = known && ((await ledger.stateOf(facts)).opened ? undefined : known);
  if (opening === undefined) return await submitCall<"vouchers", F>(deps, ctx, call);
  const calls = [
    encodeCall("vouchers", "open", [opening]),
    encodeCall("vouchers", change.functionName, change.args as readonly unknown[]),
  ];
  try {
    const mined = await submitCall<"vouchers", "multicall">(deps, ctx, {
      ...call,
      functionName: "multicall",
      args: [calls],
    });
    ledger.noteOpened(facts.id);
    return mined;
  } catch (error) {
    // Unless another transaction has opened the voucher meanwhile, the ledger refused the change itself.
    if (!(error instanceof AppError) || !(await ledger.stateOf(facts)).opened) throw error;
    ledger.noteOpened(facts.id);
    return await submitCall<"vouchers", F>(deps, ctx, call);
  }
}

async function refuseUnsweepable(deps: VoucherDeps, facts: VoucherFacts): Promise<void> {
  const { chain, vouchers } = deps;
  const [state, firstDay, now] = await Promise.all([
    vouchers.ledger.stateOf(facts),
    vouchers.ledger.sweepableFrom(facts),
    chain.now(),
  ]);
  const today = dayOfSeconds(now);
  // The ledger refuses every other status.
  if (state.status !== "active" || today >= firstDay) return;
  const isExpired = today > state.expiryDay;
  const message = isExpired ? sweepableOn(firstDay) : "The voucher has not expired yet.";
  const rule = isExpired ? "sweep-grace-over" : "voucher-expired";
  throw new AppError("CONFLICT", message, { details: [{ path: "voucherId", rule, message }] });
}

async function serializeChanged(
  deps: VoucherDeps,
  ctx: RequestContext,
  facts: VoucherFacts,
  mined: MinedCall,
): Promise<ChangedVoucher> {
  return { ...(await serializeNow(deps, ctx, facts)), transactionHash: mined.transactionHash };
}
