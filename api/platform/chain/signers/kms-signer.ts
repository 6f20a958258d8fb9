import { createPublicKey } from "node:crypto";
import { GetPublicKeyCommand, KMSClient, SignCommand } from "@aws-sdk/client-kms";
import { secp256k1 } from "@noble/curves/secp256k1";
import {
  type Address,
  type Hex,
  hashTypedData,
  hexToBytes,
  keccak256,
  serializeSignature,
  serializeTransaction,
  toHex,
} from "viem";
import { publicKeyToAddress, recoverAddress } from "viem/utils";
import type { KmsReference } from "../../signer-references.ts";
import type { Signer } from "./signer.ts";
import { signatureMs, signerUnavailable } from "./unavailable-signer.ts";

/**
 * Sign with a key of AWS KMS: an asymmetric key of the curve secp256k1 for SIGN_VERIFY. The credentials come from the AWS SDK's default
 * chain. The service's signature has neither a recovery bit nor a low s, which Ethereum needs.
 */
export async function kmsSigner({ keyId, region, endpoint }: KmsReference): Promise<Signer> {
  const client = new KMSClient({
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint }),
    maxAttempts: 2,
    requestHandler: { connectionTimeout: 2_000, requestTimeout: 4_000, throwOnRequestTimeout: true },
  });
  const address = await addressOf(client, keyId);
  return {
    address,
    async signTransaction(transaction) {
      const digest = keccak256(serializeTransaction(transaction));
      return serializeTransaction(transaction, await signatureOf({ client, keyId, address, digest }));
    },
    async signTypedData(data) {
      return serializeSignature(await signatureOf({ client, keyId, address, digest: hashTypedData(data) }));
    },
  };
}

async function addressOf(client: KMSClient, keyId: string): Promise<Address> {
  const found = await client.send(new GetPublicKeyCommand({ KeyId: keyId }), {
    abortSignal: AbortSignal.timeout(signatureMs),
  });
  if (found.KeySpec !== "ECC_SECG_P256K1" || found.KeyUsage !== "SIGN_VERIFY" || found.PublicKey === undefined) {
    const is = `${found.KeySpec ?? "no key"} for ${found.KeyUsage ?? "nothing"}`;
    throw new Error(`The KMS key ${keyId} is ${is}; an account needs ECC_SECG_P256K1 for SIGN_VERIFY.`);
  }
  const key = createPublicKey({ key: Buffer.from(found.PublicKey), format: "der", type: "spki" }).export({
    format: "jwk",
  });
  const coordinate = (text: string | undefined) =>
    Buffer.from(text ?? "", "base64url")
      .toString("hex")
      .padStart(64, "0");
  return publicKeyToAddress(`0x04${coordinate(key.x)}${coordinate(key.y)}`);
}

type ToSign = { client: KMSClient; keyId: string; address: Address; digest: Hex };

async function signatureOf({ client, keyId, address, digest }: ToSign) {
  const command = new SignCommand({
    KeyId: keyId,
    Message: hexToBytes(digest),
    MessageType: "DIGEST",
    SigningAlgorithm: "ECDSA_SHA_256",
  });
  const signed = await client
    .send(command, { abortSignal: AbortSignal.timeout(signatureMs) })
    .catch((error: unknown) => {
      throw signerUnavailable(error);
    });
  if (signed.Signature === undefined) throw signerUnavailable(new Error("KMS answered without a signature."));
  const { r, s } = secp256k1.Signature.fromDER(signed.Signature).normalizeS();
  for (const yParity of [0, 1] as const) {
    const signature = { r: toHex(r, { size: 32 }), s: toHex(s, { size: 32 }), yParity };
    if ((await recoverAddress({ hash: digest, signature })) === address) return signature;
  }
  throw new Error(`KMS signed with another key than that of ${address}.`);
}
