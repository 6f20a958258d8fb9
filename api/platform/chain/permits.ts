import {
  type Address,
  BaseError,
  ContractFunctionExecutionError,
  ContractFunctionRevertedError,
  ContractFunctionZeroDataError,
  domainSeparator,
  type Hex,
  hexToNumber,
  type PublicClient,
  parseAbi,
  slice,
  zeroHash,
} from "viem";
import { type TypedDataJson, tokenPermit } from "../../../wire/src/typed-data.ts";

const permitAbi = parseAbi([
  "function nonces(address owner) view returns (uint256)",
  "function DOMAIN_SEPARATOR() view returns (bytes32)",
  "function name() view returns (string)",
  "function version() view returns (string)",
]);

export type PermitTerms = { token: Address; owner: Address; spender: Address; value: bigint; deadline: bigint };

/** A permit as our contracts expect it; `v` 0 means none. */
export type Permit = { v: number; r: Hex; s: Hex };
export const noPermit: Permit = { v: 0, r: zeroHash, s: zeroHash };

/**
 * Build the ERC-2612 permit that an account signs for a token.
 * @returns null when the token has no permits, or its EIP-712 domain cannot be determined
 */
export async function permitToSign(
  client: PublicClient,
  chainId: number,
  { token, owner, spender, value, deadline }: PermitTerms,
): Promise<TypedDataJson | null> {
  const [domain, nonce] = await Promise.all([permitDomain(client, chainId, token), nonceOf(client, token, owner)]);
  if (domain === null || nonce === null) return null;
  return tokenPermit(domain, { owner, spender, value, nonce, deadline });
}

/** Split a permit's signature of 65 bytes. It is not checked here: the contract ignores an invalid permit. */
export function splitPermit(signature: Hex | undefined): Permit {
  if (signature === undefined) return noPermit;
  const last = hexToNumber(slice(signature, 64, 65));
  return { v: last < 2 ? last + 27 : last, r: slice(signature, 0, 32), s: slice(signature, 32, 64) };
}

const nonceOf = (client: PublicClient, token: Address, owner: Address) =>
  unlessRefused(client.readContract({ address: token, abi: permitAbi, functionName: "nonces", args: [owner] }));

/** Build the domain from the token's name and version; null when its hash differs from the token's DOMAIN_SEPARATOR. */
async function permitDomain(
  client: PublicClient,
  chainId: number,
  token: Address,
): Promise<TypedDataJson["domain"] | null> {
  const ask = (functionName: "name" | "version") =>
    unlessRefused(client.readContract({ address: token, abi: permitAbi, functionName }));
  const separator = unlessRefused(
    client.readContract({ address: token, abi: permitAbi, functionName: "DOMAIN_SEPARATOR" }),
  );
  const [name, version, expected] = await Promise.all([ask("name"), ask("version"), separator]);
  if (name === null) return null;
  const domain = { name, version: version ?? "1", chainId, verifyingContract: token };
  return domainSeparator({ domain }) === expected ? domain : null;
}

/** Await a contract read; null when the contract lacks the function, reverts, or returns other data. Rethrow an outage. */
export async function unlessRefused<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (isContractsOwn(error)) return null;
    throw error;
  }
}

/** Check whether a read failed in the contract: it lacks the function, reverts, or returns other data. */
export function isContractsOwn(error: unknown): boolean {
  if (!(error instanceof ContractFunctionExecutionError)) return false;
  const { cause } = error;
  const isRefusal = cause instanceof ContractFunctionRevertedError || cause instanceof ContractFunctionZeroDataError;
  return isRefusal || (cause instanceof BaseError && /^(Abi|Position|Invalid)/.test(cause.name));
}
