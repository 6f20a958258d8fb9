import { randomBytes } from "node:crypto";
import { hashTypedData } from "viem";
import { encodeConversionId } from "../../../wire/src/ids.ts";
import { isSignedBy, type MinedCall, noPermit, splitPermit, submitCall } from "../../platform/chain/index.ts";
import type { AppError } from "../../platform/errors.ts";
import type { RequestContext } from "../../platform/http/index.ts";
import { unsignedTransaction } from "../../platform/transactions/index.ts";
import { requireImplementer } from "./access.ts";
import { conversionIn } from "./conversion-in.ts";
import { checkConversion } from "./conversion-rules.ts";
import type { Conversion, ConversionToSign, NewConversion } from "./conversion-schemas.ts";
import { getConversion } from "./conversions.ts";
import type { ItmoDeps } from "./deps.ts";
import { ruleError } from "./errors.ts";
import { orderToSign, type SignedTerms, typedDataOf, usualDeadline, usualNonce } from "./order.ts";

/** Gas limit of a request that cannot be simulated because its approval is not mined yet: twice the usual gas. */
const REQUEST_GAS = 600_000n;
const PURPOSE = "itmo.convert";
/** The contract's marker for a cancelled order, in place of a conversion's number. */
const CANCELLED = 2 ** 32 - 1;

type SignedConversion = NewConversion & { signatures: NonNullable<NewConversion["signatures"]> };

/**
 * Prepare what the implementer's account signs for a conversion: permit and order for the relayer, or its own transactions.
 * @throws AppError FORBIDDEN, NOT_FOUND, CONFLICT, RULE_VIOLATION naming every broken rule
 */
export async function prepareConversion(
  deps: ItmoDeps,
  ctx: RequestContext,
  input: NewConversion,
): Promise<ConversionToSign> {
  requireImplementer(ctx.actor, input.implementerDid);
  const { chain, itmo } = deps;
  const { order, account } = await checkConversion(deps, input);
  const deadline = usualDeadline(await chain.now());
  const usual = usualNonce({ order, account, deadline });
  // An implementer may want two conversions with the same terms on one day.
  const isUsed = (await itmo.ledger.orderUsed(order.implementer, usual)) !== 0;
  const nonce = isUsed ? BigInt(`0x${randomBytes(16).toString("hex")}`) : usual;
  const allowance = await chain.read("carbon", "allowance", [account, chain.addresses.itmo]);
  const request = { from: account, contract: "itmo", functionName: "requestConversion", args: [order] } as const;
  const isApproved = allowance >= order.amount;
  const args = [chain.addresses.itmo, order.amount];
  const approve = { from: account, contract: "carbon", functionName: "approve", args } as const;
  return {
    typedData: await typedDataOf(chain, { order, account, nonce, deadline }, allowance),
    transactions: isApproved
      ? [await unsignedTransaction(chain, request)]
      : [
          await unsignedTransaction(chain, approve),
          await unsignedTransaction(chain, request, { gas: REQUEST_GAS, after: 1 }),
        ],
    nonce: `${nonce}`,
    deadline: Number(deadline),
  };
}

/**
 * Relay a conversion that the implementer's account signed. Repeating the same signed order returns the same conversion.
 * @throws AppError FORBIDDEN (key or signature), NOT_FOUND, CONFLICT, RULE_VIOLATION naming every broken rule
 */
export async function requestConversion(
  deps: ItmoDeps,
  ctx: RequestContext,
  input: SignedConversion,
): Promise<Conversion> {
  requireImplementer(ctx.actor, input.implementerDid);
  const { chain } = deps;
  const terms = await signedTerms(deps, input);
  const typedData = orderToSign(chain, terms);
  // One order, one transaction: a repeated request finds the first transaction, also in another process.
  const idempotencyKey = `itmo.order:${hashTypedData<Record<string, unknown>, string>(typedData)}`;
  const isSigned = await isSignedBy(chain.client, terms.account, { typedData, signature: input.signatures.order });
  const mined = await relay(deps, input, { terms, idempotencyKey, isSigned });
  // A repeat is not reviewed, and must be signed as well.
  if (!isSigned) throw notSigned();
  return getConversion(deps, encodeConversionId(BigInt(conversionIn(chain.addresses.itmo, mined))));
}

async function signedTerms(deps: ItmoDeps, input: SignedConversion): Promise<SignedTerms> {
  const { registry, itmo, chain } = deps;
  const [implementer, authorization] = await Promise.all([
    registry.implementers.byDid(input.implementerDid),
    itmo.authorizations.byId(input.authorizationId),
  ]);
  // checkConversion refuses names that are not registered.
  if (implementer === null || authorization === null) await checkConversion(deps, input);
  const index = implementer?.implementer ?? 0;
  const { amount, vintage, signatures } = input;
  const order = { implementer: index, amount, authorization: authorization?.authorization ?? 0, vintage };
  const account = await registry.implementers.accountOf(index);
  const given = "deadline" in signatures ? signatures.deadline : undefined;
  const deadline = given ?? usualDeadline(await chain.now());
  const nonce = ("nonce" in signatures ? signatures.nonce : undefined) ?? usualNonce({ order, account, deadline });
  return { order, account, nonce, deadline };
}

async function refuseUsed(deps: ItmoDeps, { order, nonce, deadline }: SignedTerms): Promise<void> {
  const { itmo, chain } = deps;
  const earlier = await itmo.ledger.orderUsed(order.implementer, nonce);
  if (earlier !== 0) {
    const message =
      earlier === CANCELLED
        ? "The order was cancelled by the implementer's account."
        : `The order was used for conversion ${encodeConversionId(BigInt(earlier))}.`;
    throw ruleError("CONFLICT", "signatures.nonce", "order-unused", message);
  }
  if ((await chain.now()) > deadline) {
    throw ruleError("RULE_VIOLATION", "signatures.deadline", "deadline", "The order's deadline has passed.");
  }
}

type Relayed = { terms: SignedTerms; idempotencyKey: string; isSigned: boolean };

function relay(deps: ItmoDeps, input: SignedConversion, relayed: Relayed): Promise<MinedCall> {
  const { terms, idempotencyKey, isSigned } = relayed;
  const { order, nonce, deadline } = terms;
  const permit = input.signatures.permit === undefined ? noPermit : splitPermit(input.signatures.permit);
  const review = async () => {
    await refuseUsed(deps, terms);
    await checkConversion(deps, input);
    if (!isSigned) throw notSigned();
  };
  return submitCall(
    deps,
    { idempotencyKey },
    {
      sender: "operator",
      contract: "itmo",
      functionName: "requestConversionFor",
      args: [order, nonce, deadline, input.signatures.order, permit],
      purpose: PURPOSE,
      review,
    },
  );
}

function notSigned(): AppError {
  const message =
    "The signature is not the account's for this order; see the typed data that the request without it names.";
  return ruleError("FORBIDDEN", "signatures.order", "signature-valid", message);
}
