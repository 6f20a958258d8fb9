import type { Address, Hex, TransactionSerializableEIP1559, TypedDataDefinition } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { readKmsReference, readWeb3SignerReference } from "../../signer-references.ts";

/** The holder of an account's key. */
export type Signer = {
  address: Address;
  signTransaction: (transaction: TransactionSerializableEIP1559) => Promise<Hex>;
  /** Sign EIP-712 data. */
  signTypedData: (data: TypedDataDefinition) => Promise<Hex>;
};

/**
 * Open a signer outside this process. Only then is its client loaded.
 * @param reference `aws-kms:<key id, alias or ARN>[?region=…&endpoint=…]` or `web3signer:<URL>?address=0x…`
 * @throws Error when it does not answer, or its key is of no Ethereum account
 */
export async function openSigner(reference: string): Promise<Signer> {
  if (reference.startsWith("aws-kms:")) {
    const { kmsSigner } = await import("./kms-signer.ts");
    return await kmsSigner(readKmsReference(reference));
  }
  const { web3Signer } = await import("./web3signer.ts");
  return web3Signer(readWeb3SignerReference(reference));
}

/** A signer whose private key this process holds. */
export function keySigner(key: Hex): Signer {
  const account = privateKeyToAccount(key);
  return {
    address: account.address,
    signTransaction: (transaction) => account.signTransaction(transaction),
    signTypedData: (data) => account.signTypedData(data),
  };
}
