import { randomBytes } from "node:crypto";
import { type Address, hashTypedData } from "viem";
import { encodeConversionId } from "../../../../wire/src/ids.ts";
import {
  isSignedBy,
  type MinedCall,
  noPermit,
  orderUsedText,
  splitPermit,
  submitCall,
} from "../../../platform/chain/index.ts";
import type { AppError } from "../../../platform/errors.ts";
import type { RequestContext } from "../../../platform/http/index.ts";
import { unsignedTransaction } from "../../../platform/transactions/index.ts";
import { jsonAmount } from "../../../platform/values/numbers.ts";
import { requireImplementer } from "../access.ts";
import type { ItmoDeps } from "../deps.ts";
import { ruleError } from "../errors.ts";
import { conversionIn } from "./conversion-in.ts";
import { getConversion } from "./conversions.ts";
import {
  type ConversionOrder,
  orderToSign,
  type SignedTerms,
  typedDataOfEach,
  usualDeadline,
  usualNonce,
} from "./order.ts";
import { checkConversion, checkConversions } from "./rules.ts";
import type { Conversion, ConversionToSign, NewConversion } from "./schemas.ts";

/** Gas limit of a request that cannot be simulated because its approval is not mined yet: twice the usual gas. */
const REQUEST_GAS = 600_000n;
const PURPOSE = "itmo.convert";

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
  const { chain } = deps;
  const { orders, account } = await checkConversions(deps, input);
  const deadline = usualDeadline(await chain.now());
  const allowance = await chain.read("carbon", "allowance", [account, chain.addresses.itmo]);
  const signed = await Promise.all(orders.map((order) => unusedTerms(deps, { order, account, deadline })));
  const typedData = await typedDataOfEach(chain, signed, allowance);
  const conversions = signed.map(({ order, nonce }, i) => ({
    vintage: order.vintage,
    amount: jsonAmount(order.amount),
    typedData: typedData[i] ?? [],
    nonce: `${nonce}`,
    deadline: Number(deadline),
  }));
  const [first] = conversions;
  if (first === undefined) throw new Error("A request has at least one conversion.");
  return {
    conversions,
    typedData: first.typedData,
    transactions: await transactionsOf(deps, { orders, account, isApproved: allowance >= input.amount }),
    nonce: first.nonce,
    deadline: first.deadline,
  };
}

/** Give an order a nonce: the usual one, unless an earlier order of the same terms on one day has used it. */
async function unusedTerms({ itmo }: ItmoDeps, terms: Omit<SignedTerms, "nonce">): Promise<SignedTerms> {
  const usual = usualNonce(terms);
  const isUsed = (await itmo.ledger.orderUsed(terms.order.implementer, usual)) !== 0;
  return { ...terms, nonce: isUsed ? BigInt(`0x${randomBytes(16).toString("hex")}`) : usual };
}

type OwnRequests = { orders: ConversionOrder[]; account: Address; isApproved: boolean };

/** Build the account's own transactions: one approval for all, unless it has approved enough, then a request for each order. */
async function transactionsOf({ chain }: ItmoDeps, { orders, account, isApproved }: OwnRequests) {
  const total = orders.reduce((sum, { amount }) => sum + amount, 0n);
  const args = [chain.addresses.itmo, total];
  const approve = { from: account, contract: "carbon", functionName: "approve", args } as const;
  const before = isApproved ? [] : [await unsignedTransaction(chain, approve)];
  const requests = orders.map((order, i) => {
    const request = { from: account, contract: "itmo", functionName: "requestConversion", args: [order] } as const;
    const after = before.length + i;
    return unsignedTransaction(chain, request, after === 0 ? {} : { gas: REQUEST_GAS, after });
  });
  return [...before, ...(await Promise.all(requests))];
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
  const { vintage } = input;
  if (vintage === undefined) {
    const message = "Send each conversion with the vintage and the amount that were signed.";
    throw ruleError("RULE_VIOLATION", "vintage", "vintage-given", message);
  }
  const terms = await signedTerms(deps, { ...input, vintage });
  const typedData = orderToSign(chain, terms);
  // One order, one transaction: a repeated request finds the first transaction, also in another process.
  const idempotencyKey = `itmo.order:${hashTypedData<Record<string, unknown>, string>(typedData)}`;
  const isSigned = await isSignedBy(chain.client, terms.account, { typedData, signature: input.signatures.order });
  const mined = await relay(deps, input, { terms, idempotencyKey, isSigned });
  // A repeat of an earlier request returns without a review, so its signature is checked here.
  if (!isSigned) throw notSigned();
  return getConversion(deps, encodeConversionId(BigInt(conversionIn(chain.addresses.itmo, mined))));
}

async function signedTerms(deps: ItmoDeps, input: SignedConversion & { vintage: number }): Promise<SignedTerms> {
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
  if (earlier !== 0) throw ruleError("CONFLICT", "signatures.nonce", "order-unused", orderUsedText(earlier));
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
