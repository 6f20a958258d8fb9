import {
  type Address,
  concat,
  encodeFunctionData,
  type Hex,
  hashTypedData,
  numberToHex,
  pad,
  parseSignature,
  serializeSignature,
  size,
  zeroAddress,
} from "viem";
import { councilAbi } from "../../../deployments/abi/council.ts";
import { type Council, type SafeTx, safeTypedData } from "../../../wire/src/typed-data.ts";
import type { CouncilCall } from "./operations.ts";

/** Build a plain call: it refunds no gas, and it reverts as a whole. */
export function safeTxOf({ target: to, value, data }: CouncilCall, nonce: bigint): SafeTx {
  const plain = { operation: 0, safeTxGas: 0n, baseGas: 0n, gasPrice: 0n };
  return { to, value, data, ...plain, gasToken: zeroAddress, refundReceiver: zeroAddress, nonce };
}

export function safeTxHash(council: Council, message: SafeTx): Hex {
  return hashTypedData(safeTypedData(council, message));
}

export type OwnerSignature = {
  signer: Address;
  signature: Hex;
  /** Whether the signer is a contract, which the Safe calls by ERC-1271. */
  isContract: boolean;
};

/** Pack signatures for the Safe: sorted by owner; those of contracts refer to their bytes after all others. */
export function packSignatures(signatures: OwnerSignature[]): Hex {
  const sorted = [...signatures].sort((a, b) => (BigInt(a.signer) < BigInt(b.signer) ? -1 : 1));
  let offset = BigInt(sorted.length * 65);
  const heads: Hex[] = [];
  const tails: Hex[] = [];
  for (const { signer, signature, isContract } of sorted) {
    if (!isContract) {
      heads.push(plainSignature(signature));
      continue;
    }
    heads.push(concat([pad(signer), numberToHex(offset, { size: 32 }), "0x00"]));
    const tail = concat([numberToHex(BigInt(size(signature)), { size: 32 }), signature]);
    tails.push(tail);
    offset += BigInt(size(tail));
  }
  return concat([...heads, ...tails]);
}

/** Normalise v to 27 or 28: some wallets write 0 or 1. */
function plainSignature(signature: Hex): Hex {
  const { r, s, yParity } = parseSignature(signature);
  return serializeSignature({ r, s, yParity });
}

/** Encode the Safe's call with which anyone executes what its owners signed. */
export function encodeExecTransaction(tx: SafeTx, signatures: Hex): Hex {
  const { to, value, data, operation, safeTxGas, baseGas, gasPrice, gasToken, refundReceiver } = tx;
  return encodeFunctionData({
    abi: councilAbi,
    functionName: "execTransaction",
    args: [to, value, data, operation, safeTxGas, baseGas, gasPrice, gasToken, refundReceiver, signatures],
  });
}
