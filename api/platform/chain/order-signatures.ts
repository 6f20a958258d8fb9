import { z } from "@hono/zod-openapi";
import {
  type Address,
  type Hex,
  hashTypedData,
  keccak256,
  type PublicClient,
  parseAbi,
  stringToHex,
  verifyHash,
} from "viem";
import type { TypedDataJson } from "../../../wire/src/typed-data.ts";
import { exactDecimal } from "../values/numbers.ts";
import { isContractsOwn } from "./permits.ts";

const bytes = (pattern: RegExp, message: string) =>
  z
    .string()
    .regex(pattern, message)
    .transform((text) => text as Hex)
    .openapi({ type: "string", pattern: pattern.source });
/** A wallet contract's signature may be of any length. */
const orderSignature = bytes(/^0x([0-9a-fA-F]{2}){1,4096}$/, "Hexadecimal bytes are expected.");
const permitSignature = bytes(/^0x[0-9a-fA-F]{130}$/, "A signature of 65 bytes is expected, in hexadecimal.");

const uint256Text = z
  .string()
  .regex(/^\d{1,78}$/, "A decimal integer is expected.")
  .transform((text) => BigInt(text))
  .refine((value) => value < 1n << 256n, { message: "At most 256 bits.", params: { rule: "range" } });
const uint256Number = exactDecimal({ decimals: 0, min: 0n, max: (1n << 53n) - 1n });

/** Nonce of an EIP-712 order, parsed to bigint. */
export const orderNonce = z.union([uint256Text, uint256Number]).openapi({
  type: ["string", "integer"],
  description: "Decimal text when it exceeds 2^53. Each settles once for an account.",
});

const ofOrder = orderSignature.openapi({ description: "Of the EIP-712 order; ERC-1271 signatures too." });
const ofPermit = permitSignature.openapi({
  description: "Of the ERC-2612 permit; absent where the allowance was given before.",
});

/**
 * Build the schema of an account holder's signatures: by name, or as a list in the order of `typedData`.
 * @param more fields of the order that were signed and that the body does not hold otherwise
 */
export function orderSignatures<M extends z.ZodRawShape>(more: M) {
  const byName = z.strictObject({ order: ofOrder, permit: ofPermit.optional(), ...more });
  const inOrder = z.union([z.tuple([ofOrder]), z.tuple([ofPermit, ofOrder])]);
  return z.union([byName, inOrder.transform(([first, second]) => byOrder(first, second))]);
}

/** Name the signatures of a list: a permit always comes before the order. */
function byOrder(first: Hex, second: Hex | undefined): { order: Hex; permit?: Hex } {
  return second === undefined ? { order: first } : { order: second, permit: first };
}

/** Typed data in a response; pass it to `signTypedData` unchanged. */
export const typedDataToSign = z
  .object({
    name: z.enum(["permit", "order"]),
    signer: z.string(),
    domain: z.object({
      name: z.string(),
      version: z.string(),
      chainId: z.number().int(),
      verifyingContract: z.string(),
    }),
    types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
    primaryType: z.string(),
    message: z.record(z.string(), z.union([z.string(), z.number()])),
  })
  .openapi("TypedDataToSign");
export type TypedDataToSign = z.infer<typeof typedDataToSign>;

/** Derive a nonce for an order without one. The same terms give the same nonce, so they are carried out only once. */
export function nonceOfTerms(terms: readonly (string | number | bigint)[]): bigint {
  return BigInt(keccak256(stringToHex(JSON.stringify(terms.map(String)))));
}

const erc1271 = parseAbi(["function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)"]);
const magicValue = "0x1626ba7e";

/** Check that the account signed: by its key or, for a contract, with a signature that the contract accepts (ERC-1271). */
export async function isSignedBy(
  client: PublicClient,
  address: Address,
  { typedData, signature }: { typedData: TypedDataJson; signature: Hex },
): Promise<boolean> {
  const hash = hashTypedData<Record<string, unknown>, string>(typedData);
  const code = await client.getCode({ address });
  if (code === undefined) return await verifyHash({ address, hash, signature }).catch(() => false);
  try {
    const args = [hash, signature] as const;
    const answer = await client.readContract({ address, abi: erc1271, functionName: "isValidSignature", args });
    return answer === magicValue;
  } catch (error) {
    if (isContractsOwn(error)) return false;
    throw error;
  }
}
