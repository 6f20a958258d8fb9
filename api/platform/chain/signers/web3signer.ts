import {
  createClient,
  getAddress,
  getTypesForEIP712Domain,
  type Hex,
  http,
  isHex,
  keccak256,
  MethodNotFoundRpcError,
  parseTransaction,
  recoverTransactionAddress,
  serializeTransaction,
  serializeTypedData,
  type TransactionSerialized,
  toHex,
} from "viem";
import { verifyTypedData } from "viem/utils";
import { AppError } from "../../errors.ts";
import type { Web3SignerReference } from "../../signer-references.ts";
import type { Signer } from "./signer.ts";
import { signatureMs, signerUnavailable } from "./unavailable-signer.ts";

/** Sign by JSON-RPC of a service that holds the key, such as Web3Signer. Its answer is checked before it is used. */
export function web3Signer({ url, authorization, address: given }: Web3SignerReference): Signer {
  const address = getAddress(given);
  const headers: HeadersInit = authorization === undefined ? {} : { authorization };
  const options = { timeout: signatureMs, retryCount: 0, fetchOptions: { headers, redirect: "error" } } as const;
  const client = createClient({ transport: http(url, options) });

  async function ask(method: string, params: unknown[]): Promise<Hex> {
    const answer: unknown = await client.request({ method, params } as never).catch((error: unknown) => {
      throw signerUnavailable(error);
    });
    if (!isHex(answer)) throw new Error(`The signer of ${address} answered without a signature.`);
    return answer;
  }

  /** Web3Signer names the method without its version. */
  async function askForTypedData(params: unknown[]): Promise<Hex> {
    try {
      return await ask("eth_signTypedData_v4", params);
    } catch (error) {
      const isUnknown = error instanceof AppError && error.cause instanceof MethodNotFoundRpcError;
      if (!isUnknown) throw error;
      return await ask("eth_signTypedData", params);
    }
  }

  return {
    address,
    async signTransaction(transaction) {
      const { to, data, gas, nonce, value, maxFeePerGas, maxPriorityFeePerGas, chainId } = transaction;
      const fields = { gas, nonce, value, maxFeePerGas, maxPriorityFeePerGas, chainId };
      const quantities = Object.entries(fields).map(([name, quantity]) => [name, toHex(quantity ?? 0)]);
      const asked = { from: address, to, data, type: "0x2", ...Object.fromEntries(quantities) };
      const raw = (await ask("eth_signTransaction", [asked])) as TransactionSerialized<"eip1559">;
      const { r: _r, s: _s, v: _v, yParity: _, ...signed } = parseTransaction(raw);
      if (keccak256(serializeTransaction(signed)) !== keccak256(serializeTransaction(transaction))) {
        throw new Error(`The signer of ${address} signed another transaction than it was asked for.`);
      }
      const by = await recoverTransactionAddress({ serializedTransaction: raw });
      if (by !== address) throw new Error(`The signer of ${address} signed with another key.`);
      return raw;
    },
    async signTypedData(data) {
      const types: Record<string, unknown> = {
        EIP712Domain: getTypesForEIP712Domain({ domain: data.domain }),
        ...data.types,
      };
      const text = serializeTypedData<Record<string, unknown>, string>({ ...data, types });
      const signature = await askForTypedData([address, JSON.parse(text)]);
      if (await verifyTypedData({ ...data, address, signature })) return signature;
      throw new Error(`The signer of ${address} signed other data, or with another key.`);
    },
  };
}
