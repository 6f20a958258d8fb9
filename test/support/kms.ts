import { createPublicKey } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { secp256k1 } from "@noble/curves/secp256k1";
import { type Hex, hexToBytes } from "viem";

/** How the fake answers a request to sign. Every signature has a high s, which the real service may return and Ethereum refuses. */
export type KmsMood = "signs" | "refuses" | "hangs" | "signs with another key";

export type FakeKms = {
  url: string;
  mood: KmsMood;
  /** Milliseconds for a signature. */
  delayMs: number;
  /** Signatures that were asked for. */
  asked: number;
  close(): Promise<void>;
};

/** A fake of AWS KMS for the real AWS SDK: GetPublicKey and Sign of AWS JSON 1.1, with one key. */
export async function startKms(privateKey: Hex, keySpec = "ECC_SECG_P256K1"): Promise<FakeKms> {
  const key = hexToBytes(privateKey);
  const server = createServer(async (request, answer) => {
    const body = JSON.parse(await read(request)) as { KeyId: string; Message?: string };
    const send = (status: number, content: object) => {
      answer.writeHead(status, { "content-type": "application/x-amz-json-1.1" }).end(JSON.stringify(content));
    };
    const target = request.headers["x-amz-target"];
    if (target === "TrentService.GetPublicKey") {
      const PublicKey = spkiOf(key).toString("base64");
      return send(200, { KeyId: body.KeyId, KeySpec: keySpec, KeyUsage: "SIGN_VERIFY", PublicKey });
    }
    if (target !== "TrentService.Sign") return send(400, { __type: "UnknownOperationException" });
    fake.asked += 1;
    if (fake.mood === "hangs") return;
    if (fake.mood === "refuses") return send(400, { __type: "DisabledException", message: "The key is disabled." });
    await sleep(fake.delayMs);
    const digest = Buffer.from(body.Message ?? "", "base64");
    const signer = fake.mood === "signs" ? key : secp256k1.utils.randomPrivateKey();
    const { r, s } = secp256k1.sign(digest, signer);
    const high = s > secp256k1.CURVE.n / 2n ? s : secp256k1.CURVE.n - s;
    const Signature = Buffer.from(new secp256k1.Signature(r, high).toBytes("der")).toString("base64");
    send(200, { KeyId: body.KeyId, Signature, SigningAlgorithm: "ECDSA_SHA_256" });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const fake: FakeKms = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    mood: "signs",
    delayMs: 0,
    asked: 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return fake;
}

function spkiOf(privateKey: Uint8Array): Buffer {
  const point = secp256k1.getPublicKey(privateKey, false);
  const coordinate = (from: number) => Buffer.from(point.slice(from, from + 32)).toString("base64url");
  const jwk = { kty: "EC", crv: "secp256k1", x: coordinate(1), y: coordinate(33) };
  return createPublicKey({ key: jwk, format: "jwk" }).export({ format: "der", type: "spki" });
}

async function read(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) body += chunk;
  return body;
}
