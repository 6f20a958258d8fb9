import { type Address, type Hex, isAddressEqual, type PublicClient, recoverAddress } from "viem";

const MAGIC = "0x1626ba7e";
const erc1271 = [
  {
    type: "function",
    name: "isValidSignature",
    stateMutability: "view",
    inputs: [{ type: "bytes32" }, { type: "bytes" }],
    outputs: [{ type: "bytes4" }],
  },
] as const;

/**
 * Check that a signature of a hash is the signer's: with its key, or by ERC-1271 when the signer is a contract.
 * @returns null when it is not
 */
export async function verifySigner(
  client: PublicClient,
  { signer, hash, signature }: { signer: Address; hash: Hex; signature: Hex },
): Promise<{ isContract: boolean } | null> {
  const recovered = await recoverAddress({ hash, signature }).catch(() => undefined);
  if (recovered !== undefined && isAddressEqual(recovered, signer)) return { isContract: false };
  const code = await client.getCode({ address: signer });
  if (code === undefined) return null;
  const args = [hash, signature] as const;
  const call = { address: signer, abi: erc1271, functionName: "isValidSignature", args } as const;
  const answer = await client.readContract(call).catch(() => undefined);
  return answer === MAGIC ? { isContract: true } : null;
}
