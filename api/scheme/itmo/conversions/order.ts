import type { Address, Hex } from "viem";
import { conversionOrder, type TypedDataJson } from "../../../../wire/src/typed-data.ts";
import {
  type Chain,
  nonceOfTerms,
  type Permit,
  permitToSign,
  type TypedDataToSign,
} from "../../../platform/chain/index.ts";

/** A conversion in the contract's terms; `amount` is micro-CARBON. */
export type ConversionOrder = { implementer: number; amount: bigint; authorization: number; vintage: number };
/** An order, and everything that its account signs. */
export type SignedTerms = { order: ConversionOrder; account: Address; nonce: bigint; deadline: bigint };
export type OrderSignatures = { order: Hex; permit: Permit };

const DAY = 86_400n;

/** Default deadline: the end of tomorrow (UTC). It is constant during a day, so callers need not send it back. */
export function usualDeadline(now: bigint): bigint {
  return (now / DAY + 2n) * DAY - 1n;
}

/** Default nonce, derived from the terms. */
export function usualNonce({ order, account, deadline }: Omit<SignedTerms, "nonce">): bigint {
  const { implementer, amount, authorization, vintage } = order;
  return nonceOfTerms(["itmo", account, implementer, amount, authorization, vintage, deadline]);
}

/** Build the order's EIP-712 typed data. Anyone may relay the order once its account has signed it. */
export function orderToSign(chain: Pick<Chain, "id" | "addresses">, terms: SignedTerms): TypedDataJson {
  const { order, nonce, deadline } = terms;
  const contract = { chainId: chain.id, verifyingContract: chain.addresses.itmo };
  return conversionOrder(contract, { ...order, nonce, deadline });
}

/**
 * Build what the account signs for relayed conversions that are sent in this order; without a permit while the allowance suffices. A
 * permit replaces the allowance, and each uses the token's next nonce.
 */
export async function typedDataOfEach(
  chain: Chain,
  all: readonly SignedTerms[],
  allowance: bigint,
): Promise<TypedDataToSign[][]> {
  const typedData: TypedDataToSign[][] = [];
  let left = allowance;
  let permits = 0n;
  for (const terms of all) {
    const { account: signer, deadline, order } = terms;
    const toSign: TypedDataToSign = { name: "order", signer, ...orderToSign(chain, terms) };
    const isAllowed = left >= order.amount;
    const permit = isAllowed ? null : await permitOf(chain, { signer, value: order.amount, deadline, before: permits });
    typedData.push(permit === null ? [toSign] : [{ name: "permit", signer, ...permit }, toSign]);
    left = isAllowed ? left - order.amount : 0n;
    if (permit !== null) permits += 1n;
  }
  return typedData;
}

type PermitToSign = { signer: Address; value: bigint; deadline: bigint; before: bigint };

/** `before`: permits that are used before this one. */
async function permitOf(
  chain: Chain,
  { signer, value, deadline, before }: PermitToSign,
): Promise<TypedDataJson | null> {
  const { carbon: token, itmo: spender } = chain.addresses;
  const permit = await permitToSign(chain.client, chain.id, { token, owner: signer, spender, value, deadline });
  if (permit === null) return null;
  return { ...permit, message: { ...permit.message, nonce: `${BigInt(String(permit.message.nonce)) + before}` } };
}
