import { randomBytes } from "node:crypto";
import { prepareContract } from "../../oracle/payments/contract-oracle.ts";
import { checkClaim } from "../../scheme/claims/service.ts";
import { prepareItmoConvert, prepareItmoReclaim } from "../../scheme/itmo/prepare.ts";
import { prepareSwap } from "../../scheme/pool/prepare.ts";
import { forbiddenSupplier, manageScope, requireOwnCertificate } from "../../scheme/vouchers/access.ts";
import { consentIn } from "../../scheme/vouchers/consent.ts";
import { type Days, daysOf } from "../../scheme/vouchers/issue.ts";
import { findVoucher } from "../../scheme/vouchers/read.ts";
import { isoTime } from "../../scheme/vouchers/redeem.ts";
import { findRedemption } from "../../scheme/vouchers/redemptions.ts";
import type { VoucherFacts } from "../../scheme/vouchers/voucher-ledger.ts";
import { requireRoleOrScope, requireScope } from "../http/authorize.ts";
import type { ServiceContext } from "../http/context.ts";
import { prepareCancel } from "./cancel.ts";
import { prepareDebtPayment } from "./debt-payments.ts";
import type {
  Prepare,
  PreparedTransaction,
  PreparedTransactions,
  PreparedTypedData,
  PrepareRequest,
} from "./schemas.ts";
import { unsignedTransaction } from "./unsigned.ts";

export const PREPARE_SCOPE = "transactions:prepare";
/** How long an attestation of a verified credential may be used, in seconds of chain time. */
const attestationSeconds = 3_600n;

/**
 * What the holder of an account signs to act without us: an unsigned transaction, or EIP-712 typed data.
 * @throws AppError as the action itself would
 */
export async function prepare(
  ctx: ServiceContext,
  input: PrepareRequest,
): Promise<PreparedTransaction | PreparedTransactions | PreparedTypedData> {
  requireScope(ctx.actor, PREPARE_SCOPE);
  switch (input.action) {
    case "redeem":
      return await prepareRedeem(ctx, input);
    case "household-authorization":
      return await prepareAuthorization(ctx, input);
    case "claim":
      return await prepareClaim(ctx, input);
    case "reverse":
      return await prepareReverse(ctx, input);
    case "cancel":
    case "reissue":
      return await prepareForImplementer(ctx, input);
    case "pool-buy":
    case "pool-sell":
      return await prepareSwap(ctx, input);
    case "itmo-convert":
      return await prepareItmoConvert(ctx, input);
    case "itmo-reclaim":
      return await prepareItmoReclaim(ctx, input);
    case "repay-debt":
    case "replace-carbon":
      return await prepareDebtPayment(ctx, input);
    case "pool-cancel-order":
    case "itmo-cancel-order":
    case "cancel-authorization":
    case "cancel-attestation":
      return await prepareCancel(ctx, input);
    case "contractOracle": {
      const { oracleDid: did = ctx.deps.payments.did, action: _, ...terms } = input;
      const { transactions } = await prepareContract(ctx.deps.chain, { did, ...terms });
      return { kind: "transactions", transactions };
    }
    case "lapse": {
      const { state } = await findRedemption(ctx, input.redemptionId);
      return await unsignedTransaction(ctx.deps.chain, {
        from: input.from,
        contract: "vouchers",
        functionName: "lapse",
        args: [state.id],
      });
    }
    default:
      return await prepareForAnyone(ctx, input);
  }
}

async function prepareRedeem(ctx: ServiceContext, input: Prepare<"redeem">): Promise<PreparedTransaction> {
  const { vouchers } = ctx.deps;
  const facts = await findVoucher(ctx, input.voucherId);
  const { supplier, product, account } = await partiesOf(ctx, input);
  const order = { voucher: facts.id, supplier, product, amount: input.amount };
  const opened = (await vouchers.ledger.stateOf(facts)).opened;
  const opening = opened ? undefined : await vouchers.ledger.proofOf(facts);
  const from = input.from ?? account;
  const consent = consentIn(input);
  const authorization = consent && { order: 0, ...consent };
  if (opening === undefined) {
    const functionName = authorization === undefined ? "redeem" : "redeemAuthorized";
    const args = authorization === undefined ? [order] : [order, authorization];
    return await unsignedTransaction(ctx.deps.chain, { from, contract: "vouchers", functionName, args });
  }
  if (authorization === undefined) {
    const args = [order, opening.household, opening.value, opening.proof];
    return await unsignedTransaction(ctx.deps.chain, {
      from,
      contract: "vouchers",
      functionName: "redeemOpening",
      args,
    });
  }
  return await unsignedTransaction(ctx.deps.chain, {
    from,
    contract: "vouchers",
    functionName: "redeemMany",
    args: [[opening], [order], [authorization]],
  });
}

async function prepareAuthorization(
  ctx: ServiceContext,
  input: Prepare<"household-authorization">,
): Promise<PreparedTypedData> {
  const { registry, chain, vouchers } = ctx.deps;
  const facts = await findVoucher(ctx, input.voucherId);
  const { supplier, product } = await partiesOf(ctx, input);
  const nonce = input.nonce ?? BigInt(`0x${randomBytes(16).toString("hex")}`).toString();
  const { expiryDay } = await vouchers.ledger.stateOf(facts);
  const deadline = input.deadline ?? (expiryDay + 1) * 86_400 - 1;
  const verifyingContract = chain.addresses.vouchers;
  const fields: [string, string][] = [
    ["voucher", "uint64"],
    ["supplier", "uint32"],
    ["product", "uint32"],
    ["amount", "uint64"],
    ["nonce", "uint256"],
    ["deadline", "uint64"],
  ];
  return {
    kind: "typed-data",
    signer: await registry.households.accountOf(facts.household),
    typedData: {
      domain: { name: "Hearth Vouchers", version: "1", chainId: chain.id, verifyingContract },
      types: { RedemptionAuthorization: fields.map(([name, type]) => ({ name, type })) },
      primaryType: "RedemptionAuthorization",
      message: { voucher: `${facts.id}`, supplier, product, amount: `${input.amount}`, nonce, deadline: `${deadline}` },
    },
  };
}

async function partiesOf(ctx: ServiceContext, { supplierDid, productId }: { supplierDid: string; productId: string }) {
  const { suppliers, products } = ctx.deps.registry;
  const [supplier, product] = await Promise.all([suppliers.byDid(supplierDid), products.byId(productId)]);
  if (supplier === null) throw forbiddenSupplier(`The supplier ${supplierDid} is not registered.`);
  const { account } = await ctx.deps.chain.read("participants", "supplierOf", [supplier.supplier]);
  return { supplier: supplier.supplier, product: product?.product ?? 0, account };
}

/** The supplier's own claim: an operator's word that the credential verifies goes into the transaction. */
async function prepareClaim(ctx: ServiceContext, input: Prepare<"claim">): Promise<PreparedTransaction> {
  const { chain } = ctx.deps;
  const { redemption, credentialHash } = await checkClaim(ctx, input);
  const record = await chain.read("vouchers", "redemptionOf", [redemption]);
  const { account } = await chain.read("participants", "supplierOf", [record.supplier]);
  const validUntil = (await chain.now()) + attestationSeconds;
  const signature = await chain.senders.operator.signTypedData({
    domain: { name: "Hearth Claims", version: "1", chainId: chain.id, verifyingContract: chain.addresses.claims },
    types: {
      ClaimAttestation: [
        { name: "redemption", type: "uint96" },
        { name: "credentialHash", type: "bytes32" },
        { name: "validUntil", type: "uint64" },
      ],
    },
    primaryType: "ClaimAttestation",
    message: { redemption, credentialHash, validUntil },
  });
  const args = [redemption, credentialHash, validUntil, signature];
  const call = { from: account, contract: "claims", functionName: "claimWithAttestation", args } as const;
  return { ...(await unsignedTransaction(ctx.deps.chain, call)), validUntil: isoTime(validUntil) };
}

async function prepareReverse(ctx: ServiceContext, input: Prepare<"reverse">): Promise<PreparedTransaction> {
  const { state } = await findRedemption(ctx, input.redemptionId);
  const { account } = await ctx.deps.chain.read("participants", "supplierOf", [state.supplier]);
  const args = [state.id, input.reason];
  return await unsignedTransaction(ctx.deps.chain, {
    from: account,
    contract: "vouchers",
    functionName: "reverse",
    args,
  });
}

async function prepareForImplementer(
  ctx: ServiceContext,
  input: Prepare<"cancel"> | Prepare<"reissue">,
): Promise<PreparedTransaction> {
  const { registry } = ctx.deps;
  requireRoleOrScope(ctx.actor, manageScope, "implementer");
  const facts = await findVoucher(ctx, input.voucherId);
  await requireOwnCertificate(ctx, facts.certificate, manageScope);
  const certificate = await registry.certificates.byIndex(facts.certificate);
  const from = await registry.implementers.accountOf(certificate?.implementer ?? 0);
  const args = input.action === "cancel" ? [facts.id, input.reason] : await reissueArgs(ctx, facts, input);
  return await unsignedTransaction(ctx.deps.chain, { from, contract: "vouchers", functionName: input.action, args });
}

async function reissueArgs(
  ctx: ServiceContext,
  facts: VoucherFacts,
  { attributes }: Prepare<"reissue">,
): Promise<readonly unknown[]> {
  const days: Days = attributes === undefined ? await ctx.deps.vouchers.ledger.reissueDays(facts) : daysOf(attributes);
  const { startDay, expiryDay } = days;
  return [facts.id, startDay, expiryDay, attributes?.batchId ?? facts.batchId];
}

async function prepareForAnyone(
  ctx: ServiceContext,
  input: Prepare<"open"> | Prepare<"sweep">,
): Promise<PreparedTransaction> {
  const facts = await findVoucher(ctx, input.voucherId);
  const { from, action } = input;
  if (action === "sweep")
    return await unsignedTransaction(ctx.deps.chain, {
      from,
      contract: "vouchers",
      functionName: action,
      args: [facts.id],
    });
  const opening = await ctx.deps.vouchers.ledger.proofOf(facts);
  // A voucher that was issued alone is open from the start; the contract says so.
  const args = [opening ?? { voucher: facts.id, household: facts.household, value: facts.value, proof: [] }];
  return await unsignedTransaction(ctx.deps.chain, { from, contract: "vouchers", functionName: action, args });
}
