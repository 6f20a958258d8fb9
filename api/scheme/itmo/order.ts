import type { Address, Hex } from "viem";
import { conversionOrder, type TypedDataJson } from "../../../wire/src/typed-data.ts";
import {
  type Chain,
  nonceOfTerms,
  type Permit,
  permitToSign,
  type TypedDataToSign,
} from "../../platform/chain/index.ts";

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

/** Build what the account signs for a relayed conversion; without a permit if the allowance suffices. */
export async function typedDataOf(chain: Chain, terms: SignedTerms, allowance: bigint): Promise<TypedDataToSign[]> {
  const { account: signer, deadline } = terms;
  const value = terms.order.amount;
  const order: TypedDataToSign = { name: "order", signer, ...orderToSign(chain, terms) };
  if (allowance >= value) return [order];
  const { carbon: token, itmo: spender } = chain.addresses;
  const permit = await permitToSign(chain.client, chain.id, { token, owner: signer, spender, value, deadline });
  return permit === null ? [order] : [{ name: "permit", signer, ...permit }, order];
}
