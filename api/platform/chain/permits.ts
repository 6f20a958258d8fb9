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

/** What our contracts take as a permit; `v` 0 stands for none. */
export type Permit = { v: number; r: Hex; s: Hex };
export const noPermit: Permit = { v: 0, r: zeroHash, s: zeroHash };

/**
 * The ERC-2612 permit that an account signs for a token.
 * @returns null when the token has no permits, or none whose domain can be told
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

/** The parts of a permit's signature of 65 bytes. Whatever they are: the contract passes over one that does not hold. */
export function splitPermit(signature: Hex | undefined): Permit {
  if (signature === undefined) return noPermit;
  const last = hexToNumber(slice(signature, 64, 65));
  return { v: last < 2 ? last + 27 : last, r: slice(signature, 0, 32), s: slice(signature, 32, 64) };
}

const nonceOf = (client: PublicClient, token: Address, owner: Address) =>
  unlessRefused(client.readContract({ address: token, abi: permitAbi, functionName: "nonces", args: [owner] }));

/** Name and version are the token's own words; its separator tells whether they make its domain. */
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

/** Null for a contract that lacks the function, refuses, or answers something else; an outage is thrown on. */
export async function unlessRefused<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch (error) {
    if (isContractsOwn(error)) return null;
    throw error;
  }
}

/** Whether a read failed by the contract: it lacks the function, refuses, or answers something else. */
export function isContractsOwn(error: unknown): boolean {
  if (!(error instanceof ContractFunctionExecutionError)) return false;
  const { cause } = error;
  const isRefusal = cause instanceof ContractFunctionRevertedError || cause instanceof ContractFunctionZeroDataError;
  return isRefusal || (cause instanceof BaseError && /^(Abi|Position|Invalid)/.test(cause.name));
}
