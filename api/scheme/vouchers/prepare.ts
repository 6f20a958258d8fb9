import { randomBytes } from "node:crypto";
import { z } from "@hono/zod-openapi";
import { redemptionAuthorization } from "../../../wire/src/typed-data.ts";
import { orderNonce } from "../../platform/chain/index.ts";
import { AppError } from "../../platform/errors.ts";
import { type RequestContext, requireRoleOrScope } from "../../platform/http/index.ts";
import {
  from,
  type PrepareAction,
  type PreparedTransaction,
  type PreparedTypedData,
  prepareAction,
  unsignedTransaction,
} from "../../platform/transactions/index.ts";
import { integer, positiveCarbonAmount } from "../../platform/values/numbers.ts";
import { did, identifier } from "../../platform/values/text.ts";
import { forbiddenSupplier, manageScope, requireOwnCertificate } from "./access.ts";
import { consentOf } from "./consent/consent.ts";
import type { VoucherDeps } from "./deps.ts";
import { type Days, daysOf } from "./issue.ts";
import { findVoucher } from "./read.ts";
import { findRedemption } from "./redemptions/redemptions.ts";
import { checkedConsent, householdAuthorization, reason, voucherAttributes } from "./schemas.ts";
import type { VoucherFacts } from "./voucher-ledger.ts";

const voucherId = identifier(128);
const redemptionId = identifier(128);
const redemptionTerms = { voucherId, supplierDid: did, productId: identifier(128), amount: positiveCarbonAmount };

const redeem = z.strictObject({
  action: z.literal("redeem"),
  ...redemptionTerms,
  consent: checkedConsent.optional(),
  householdAuthorization: householdAuthorization.optional(),
  from: from.optional().openapi({ description: "Absent: the supplier's account." }),
});
const authorization = z.strictObject({
  action: z.literal("household-authorization"),
  ...redemptionTerms,
  nonce: z
    .string()
    .regex(/^\d{1,78}$/)
    .optional()
    .openapi({ description: "Absent: a random one." }),
  deadline: integer(1, Number.MAX_SAFE_INTEGER)
    .optional()
    .openapi({ description: "Seconds since 1970. Absent: the voucher's last second." }),
});
const reverse = z.strictObject({ action: z.literal("reverse"), redemptionId, reason });
const lapse = z.strictObject({ action: z.literal("lapse"), redemptionId, from });
const open = z.strictObject({ action: z.literal("open"), voucherId, from });
const sweep = z.strictObject({ action: z.literal("sweep"), voucherId, from });
const cancel = z.strictObject({ action: z.literal("cancel"), voucherId, reason });
const reissue = z.strictObject({
  action: z.literal("reissue"),
  voucherId,
  attributes: voucherAttributes.optional(),
});
const cancelAuthorization = z.strictObject({
  action: z.literal("cancel-authorization"),
  voucherId: voucherId.openapi({ description: "Any voucher of the household; a nonce is the household's." }),
  nonce: orderNonce.openapi({ description: "Of what was signed; of a code, its key's address as a number." }),
});

/** Define the voucher and redemption actions that accounts sign. */
export function voucherActions(deps: VoucherDeps): PrepareAction[] {
  return [
    prepareAction(redeem, (ctx, input) => prepareRedeem(deps, ctx, input)),
    prepareAction(authorization, (ctx, input) => prepareAuthorization(deps, ctx, input)),
    prepareAction(reverse, (ctx, input) => prepareReverse(deps, ctx, input)),
    prepareAction(lapse, (ctx, input) => prepareLapse(deps, ctx, input)),
    prepareAction(open, (ctx, input) => prepareOpen(deps, ctx, input)),
    prepareAction(sweep, (ctx, input) => prepareSweep(deps, ctx, input)),
    prepareAction(cancel, (ctx, input) => prepareForImplementer(deps, ctx, input)),
    prepareAction(reissue, (ctx, input) => prepareForImplementer(deps, ctx, input)),
    prepareAction(cancelAuthorization, (ctx, input) => prepareCancelAuthorization(deps, ctx, input)),
  ];
}

async function prepareRedeem(
  deps: VoucherDeps,
  ctx: RequestContext,
  input: z.infer<typeof redeem>,
): Promise<PreparedTransaction> {
  const { vouchers } = deps;
  const facts = await findVoucher(deps, ctx, input.voucherId);
  const { supplier, product, account } = await partiesOf(deps, input);
  const order = { voucher: facts.id, supplier, product, amount: input.amount };
  const opened = (await vouchers.ledger.stateOf(facts)).opened;
  const opening = opened ? undefined : await vouchers.ledger.proofOf(facts);
  const from = input.from ?? account;
  const consent = await consentOf(deps, facts, input);
  const authorization = consent && { order: 0, ...consent };
  if (opening === undefined) {
    const functionName = authorization === undefined ? "redeem" : "redeemAuthorized";
    const args = authorization === undefined ? [order] : [order, authorization];
    return await unsignedTransaction(deps.chain, { from, contract: "vouchers", functionName, args });
  }
  if (authorization === undefined) {
    const args = [order, opening.household, opening.value, opening.proof];
    return await unsignedTransaction(deps.chain, {
      from,
      contract: "vouchers",
      functionName: "redeemOpening",
      args,
    });
  }
  return await unsignedTransaction(deps.chain, {
    from,
    contract: "vouchers",
    functionName: "redeemMany",
    args: [[opening], [order], [authorization]],
  });
}

async function prepareAuthorization(
  deps: VoucherDeps,
  ctx: RequestContext,
  input: z.infer<typeof authorization>,
): Promise<PreparedTypedData> {
  const { registry, chain, vouchers } = deps;
  const facts = await findVoucher(deps, ctx, input.voucherId);
  const { supplier, product } = await partiesOf(deps, input);
  const nonce = input.nonce ?? BigInt(`0x${randomBytes(16).toString("hex")}`).toString();
  const { expiryDay } = await vouchers.ledger.stateOf(facts);
  const deadline = input.deadline ?? (expiryDay + 1) * 86_400 - 1;
  const verifyingContract = chain.addresses.vouchers;
  return {
    kind: "typed-data",
    signer: await registry.households.accountOf(facts.household),
    typedData: redemptionAuthorization(
      { chainId: chain.id, verifyingContract },
      { voucher: facts.id, supplier, product, amount: input.amount, nonce, deadline },
    ),
  };
}

async function partiesOf(deps: VoucherDeps, { supplierDid, productId }: { supplierDid: string; productId: string }) {
  const { suppliers, products } = deps.registry;
  const [supplier, product] = await Promise.all([suppliers.byDid(supplierDid), products.byId(productId)]);
  if (supplier === null) throw forbiddenSupplier(`The supplier ${supplierDid} is not registered.`);
  const { account } = await deps.chain.read("participants", "supplierOf", [supplier.supplier]);
  return { supplier: supplier.supplier, product: product?.product ?? 0, account };
}

async function prepareReverse(
  deps: VoucherDeps,
  ctx: RequestContext,
  input: z.infer<typeof reverse>,
): Promise<PreparedTransaction> {
  const { state } = await findRedemption(deps, ctx, input.redemptionId);
  const { account } = await deps.chain.read("participants", "supplierOf", [state.supplier]);
  const args = [state.id, input.reason];
  return await unsignedTransaction(deps.chain, {
    from: account,
    contract: "vouchers",
    functionName: "reverse",
    args,
  });
}

async function prepareForImplementer(
  deps: VoucherDeps,
  ctx: RequestContext,
  input: z.infer<typeof cancel> | z.infer<typeof reissue>,
): Promise<PreparedTransaction> {
  const { certificates, registry } = deps;
  requireRoleOrScope(ctx.actor, manageScope, "implementer");
  const facts = await findVoucher(deps, ctx, input.voucherId);
  await requireOwnCertificate(deps, ctx, facts.certificate, manageScope);
  const certificate = await certificates.byIndex(facts.certificate);
  const from = await registry.implementers.accountOf(certificate?.implementer ?? 0);
  const args = input.action === "cancel" ? [facts.id, input.reason] : await reissueArgs(deps, facts, input);
  return await unsignedTransaction(deps.chain, { from, contract: "vouchers", functionName: input.action, args });
}

async function reissueArgs(
  deps: VoucherDeps,
  facts: VoucherFacts,
  { attributes }: z.infer<typeof reissue>,
): Promise<readonly unknown[]> {
  const days: Days = attributes === undefined ? await deps.vouchers.ledger.reissueDays(facts) : daysOf(attributes);
  const { startDay, expiryDay } = days;
  return [facts.id, startDay, expiryDay, attributes?.batchId ?? facts.batchId];
}

async function prepareLapse(
  deps: VoucherDeps,
  ctx: RequestContext,
  input: z.infer<typeof lapse>,
): Promise<PreparedTransaction> {
  const { state } = await findRedemption(deps, ctx, input.redemptionId);
  const call = { from: input.from, contract: "vouchers", functionName: "lapse", args: [state.id] } as const;
  return await unsignedTransaction(deps.chain, call);
}

async function prepareOpen(
  deps: VoucherDeps,
  ctx: RequestContext,
  { voucherId, from }: z.infer<typeof open>,
): Promise<PreparedTransaction> {
  const facts = await findVoucher(deps, ctx, voucherId);
  const { id, household, value } = facts;
  const opening = await deps.vouchers.ledger.proofOf(facts);
  // A voucher that was issued alone is open from the start; the contract then refuses.
  const args = [opening ?? { voucher: id, household, value, proof: [] }];
  return await unsignedTransaction(deps.chain, { from, contract: "vouchers", functionName: "open", args });
}

async function prepareSweep(
  deps: VoucherDeps,
  ctx: RequestContext,
  { voucherId, from }: z.infer<typeof sweep>,
): Promise<PreparedTransaction> {
  const { id } = await findVoucher(deps, ctx, voucherId);
  return await unsignedTransaction(deps.chain, { from, contract: "vouchers", functionName: "sweep", args: [id] });
}

async function prepareCancelAuthorization(
  deps: VoucherDeps,
  ctx: RequestContext,
  { voucherId, nonce }: z.infer<typeof cancelAuthorization>,
): Promise<PreparedTransaction> {
  const { household } = await findVoucher(deps, ctx, voucherId);
  const from = await deps.registry.households.accountOf(household);
  if (from === null) {
    const message = "The household has no account, and only its account cancels what was signed.";
    throw new AppError("CONFLICT", message, { details: [{ path: "voucherId", rule: "household-account", message }] });
  }
  const args = [household, nonce];
  const call = { from, contract: "vouchers", functionName: "cancelAuthorization", args } as const;
  return await unsignedTransaction(deps.chain, call);
}
