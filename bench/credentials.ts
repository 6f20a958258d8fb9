import { verifyJWT } from "did-jwt";
import { createDidResolver, didKeyMethod } from "../api/platform/dids/did-resolution.ts";
import { openVerifier } from "../api/scheme/verification/open-verifier.ts";
import { type Algorithm, createIssuer } from "../test/support/credentials.ts";
import { type Figure, ratioFigure } from "./figures.ts";

const type = "ProductDeliveryCredential";

/** Full credential verifications per second, compared with did-jwt's signature check of the same tokens. */
export async function benchCredentials(seconds: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const alg of ["ES256", "EdDSA", "ES256K"] as const) {
    const tokens = await signTokens(alg, 200);
    const { ours, raw } = await inTurns(tokens, seconds);
    const reference = { name: "raw did-jwt", value: raw };
    figures.push(ratioFigure(`credential verifications/s, ${alg}`, ours, "/s", reference, 0.9));
  }
  return figures;
}

async function signTokens(alg: Algorithm, count: number): Promise<string[]> {
  const issuer = createIssuer({ alg });
  const subject = (i: number) => ({
    id: "did:example:supplier",
    redemptionId: `REDM-${i}`,
    productId: "PROD-789",
    quantity: 1,
  });
  return await Promise.all(
    Array.from({ length: count }, (_, i) =>
      issuer.signCredential({ type, subject: subject(i), expiresAt: new Date(Date.now() + 3.6e6) }),
    ),
  );
}

/** Measure both in short alternating turns, so that changes of the machine's speed affect both. */
async function inTurns(tokens: string[], seconds: number): Promise<{ ours: number; raw: number }> {
  const clock = { now: () => new Date() };
  const verifier = openVerifier({ outbound: { allowLoopback: true }, ethrNetworks: [], clock });
  const resolver = createDidResolver([didKeyMethod], Date.now);
  const verifyOurs = async (token: string) => {
    const verdict = await verifier.verifyCredential({ type, proof: token }, { type, now: clock.now() });
    if (!verdict.verified) throw new Error(JSON.stringify(verdict.broken));
  };
  const verifyRaw = async (token: string) => {
    const { verified } = await verifyJWT(token, { resolver });
    if (!verified) throw new Error("did-jwt refused the token");
  };
  const spent = { ours: 0, raw: 0 };
  let rounds = 0;
  await timed(tokens.slice(0, 50), verifyOurs);
  await timed(tokens.slice(0, 50), verifyRaw);
  while (spent.ours + spent.raw < seconds * 1000) {
    spent.ours += await timed(tokens, verifyOurs);
    spent.raw += await timed(tokens, verifyRaw);
    rounds++;
  }
  verifier.close();
  const total = rounds * tokens.length * 1000;
  return { ours: total / spent.ours, raw: total / spent.raw };
}

async function timed(tokens: string[], verify: (token: string) => Promise<void>): Promise<number> {
  const begin = performance.now();
  for (const token of tokens) await verify(token);
  return performance.now() - begin;
}
