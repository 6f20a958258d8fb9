import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { bls12_381 } from "@noble/curves/bls12-381";

/** The domain of the signature scheme `bls-unchained-g1-rfc9380`. */
const DST = "BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";

export type BeaconPeer = {
  /** With the hash of the chain at its end. */
  url: string;
  /** Hexadecimal digits. */
  publicKey: string;
  /** Whether rounds are published; without it every round is still to come. */
  isPublishing: boolean;
  /** Whether it signs with another key than it names. */
  isForging: boolean;
  close: () => Promise<void>;
};

/**
 * Start a peer that stands for a drand HTTP API with one node: its signatures are real, by a new key. It publishes a round as soon
 * as it is asked, also before its time.
 */
export async function startBeaconPeer(): Promise<BeaconPeer> {
  const keys = [randomBytes(32), randomBytes(32)].map((seed) => bls12_381.fields.Fr.fromBytes(reduced(seed)));
  const publicKey = bls12_381.G2.Point.BASE.multiply(keys[0] as bigint).toHex(true);
  const chainHash = createHash("sha256").update(publicKey).digest("hex");
  const sign = (round: number) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64BE(BigInt(round));
    const message = createHash("sha256").update(bytes).digest();
    const key = keys[peer.isForging ? 1 : 0] as bigint;
    const point = bls12_381.G1.Point.fromAffine(bls12_381.G1.hashToCurve(message, { DST }).toAffine()).multiply(key);
    const signature = Buffer.from(point.toBytes(true));
    return {
      round,
      randomness: createHash("sha256").update(signature).digest("hex"),
      signature: signature.toString("hex"),
    };
  };
  const answerOf = (path: string): object | undefined => {
    if (path === `/${chainHash}/info`) {
      const info = { public_key: publicKey, period: 3, genesis_time: 1_600_000_000, hash: chainHash };
      return { ...info, schemeID: "bls-unchained-g1-rfc9380", groupHash: "", metadata: { beaconID: "test" } };
    }
    const [, round] = new RegExp(`^/${chainHash}/public/(\\d+)$`).exec(path) ?? [];
    return round === undefined || !peer.isPublishing ? undefined : sign(Number(round));
  };
  const server = createServer((request, response) => {
    const answer = answerOf(request.url ?? "");
    response.writeHead(answer === undefined ? 425 : 200, { "content-type": "application/json" });
    response.end(JSON.stringify(answer ?? { error: "too early" }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const peer: BeaconPeer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${chainHash}`,
    publicKey,
    isPublishing: true,
    isForging: false,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
  return peer;
}

/** A secret key is below the order of the group. */
function reduced(seed: Buffer): Uint8Array {
  seed[0] = 1;
  return seed;
}
