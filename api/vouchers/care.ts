import { eventsIn } from "../chain/contracts.ts";
import type { MinedCall } from "../chain/outbox.ts";
import { submitCall } from "../chain/submit.ts";
import { AppError, refuseBrokenRules } from "../errors.ts";
import type { ServiceContext } from "../http/context.ts";
import { manageScope, requireOwnCertificate, requireSupervisor } from "./access.ts";
import { type Days, datesOrdered, daysOf } from "./issue.ts";
import { findVoucher, showNow } from "./read.ts";
import type { ChangedVoucher, IssuedVoucher, ReissueRequest } from "./schemas.ts";
import { dayOfSeconds, showVoucher } from "./show-voucher.ts";
import type { VoucherFacts } from "./voucher-ledger.ts";

type Reasoned = { voucherId: string; reason: string };

/** Regulator or evaluator. @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT */
export async function suspendVoucher(ctx: ServiceContext, input: Reasoned): Promise<ChangedVoucher> {
  return await supervise(ctx, input, "suspend");
}

/** Regulator or evaluator. @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT */
export async function reactivateVoucher(ctx: ServiceContext, input: Reasoned): Promise<ChangedVoucher> {
  return await supervise(ctx, input, "reactivate");
}

async function supervise(
  ctx: ServiceContext,
  { voucherId, reason }: Reasoned,
  functionName: "suspend" | "reactivate",
): Promise<ChangedVoucher> {
  const facts = await findVoucher(ctx, voucherId);
  const sender = requireSupervisor(ctx);
  await ensureOpened(ctx, facts);
  const mined = await submitCall(ctx, {
    sender,
    contract: "vouchers",
    functionName,
    args: [facts.id, reason],
    purpose: `voucher.${functionName}`,
    part: "change",
  });
  return await showChanged(ctx, facts, mined);
}

/** The implementer: the unspent rest returns to the certificate. @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT */
export async function cancelVoucher(ctx: ServiceContext, { voucherId, reason }: Reasoned): Promise<ChangedVoucher> {
  const facts = await findVoucher(ctx, voucherId);
  await requireOwnCertificate(ctx, facts.certificate, manageScope);
  await ensureOpened(ctx, facts);
  const mined = await submitCall(ctx, {
    sender: "operator",
    contract: "vouchers",
    functionName: "cancel",
    args: [facts.id, reason],
    purpose: "voucher.cancel",
    part: "change",
  });
  return await showChanged(ctx, facts, mined);
}

/** Anyone: the rest of an expired voucher goes to the pool's reserve. @throws AppError NOT_FOUND, CONFLICT */
export async function sweepVoucher(ctx: ServiceContext, { voucherId }: { voucherId: string }): Promise<ChangedVoucher> {
  const facts = await findVoucher(ctx, voucherId);
  await refuseUnexpired(ctx, facts);
  await ensureOpened(ctx, facts);
  const mined = await submitCall(ctx, {
    sender: "operator",
    contract: "vouchers",
    functionName: "sweep",
    args: [facts.id],
    purpose: "voucher.sweep",
    part: "change",
  });
  return await showChanged(ctx, facts, mined);
}

/**
 * One new voucher of exactly the rest of a cancelled one, for the same household.
 * @throws AppError NOT_FOUND, FORBIDDEN, CONFLICT (not cancelled, or reissued already), RULE_VIOLATION
 */
export async function reissueVoucher(
  ctx: ServiceContext,
  { voucherId, attributes }: ReissueRequest & { voucherId: string },
): Promise<IssuedVoucher> {
  const facts = await findVoucher(ctx, voucherId);
  await requireOwnCertificate(ctx, facts.certificate, manageScope);
  const days: Days = attributes === undefined ? facts : daysOf(attributes);
  refuseBrokenRules(datesOrdered(days));
  const { startDay, expiryDay } = days;
  const mined = await submitCall(ctx, {
    sender: "operator",
    contract: "vouchers",
    functionName: "reissue",
    args: [facts.id, startDay, expiryDay, attributes?.batchId ?? facts.batchId],
    purpose: "voucher.reissue",
    part: "change",
  });
  const at = { contract: "vouchers", address: ctx.deps.chain.addresses.vouchers, eventName: "VoucherIssued" } as const;
  const [event] = eventsIn(mined.logs, at);
  if (event === undefined) throw new Error(`Transaction ${mined.transactionHash} reissued no voucher.`);
  const { voucher: id, value, batchId } = event.args;
  const origin = { leaf: undefined, replaces: facts.id, issueTransactionHash: mined.transactionHash };
  const replacement: VoucherFacts = { ...facts, id, value, startDay, expiryDay, batchId, ...origin };
  const today = dayOfSeconds(mined.blockTimestamp);
  const shown = await showVoucher(ctx, replacement, { status: "active", remaining: value }, today);
  return { ...shown, transactionHash: mined.transactionHash };
}

/** Give a voucher of a batch its slot in the ledger, which every change but a redemption needs beforehand. */
export async function ensureOpened(ctx: ServiceContext, facts: VoucherFacts): Promise<void> {
  const { ledger } = ctx.deps.vouchers;
  const opening = await ledger.openingOf(facts);
  if (opening === undefined || (await ledger.stateOf(facts)).opened) return;
  try {
    await submitCall(ctx, {
      sender: "operator",
      contract: "vouchers",
      functionName: "open",
      args: [opening],
      purpose: "voucher.open",
      part: "open",
    });
  } catch (error) {
    // Somebody else opened it in the meantime: that is what was wanted.
    if (!(error instanceof AppError) || !(await ledger.stateOf(facts)).opened) throw error;
  }
  ledger.noteOpened(facts.id);
}

async function refuseUnexpired(ctx: ServiceContext, facts: VoucherFacts): Promise<void> {
  if (dayOfSeconds(await ctx.deps.chain.now()) > facts.expiryDay) return;
  const message = "The voucher has not expired yet.";
  throw new AppError("CONFLICT", message, { details: [{ path: "voucherId", rule: "voucher-expired", message }] });
}

async function showChanged(ctx: ServiceContext, facts: VoucherFacts, mined: MinedCall): Promise<ChangedVoucher> {
  return { ...(await showNow(ctx, facts)), transactionHash: mined.transactionHash };
}
