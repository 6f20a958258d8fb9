import type { ChainClient, ChainInfo } from "drand-client";
import { type Hex, sha256 } from "viem";
import { z } from "zod";
import { type BeaconTerms, beaconTerms, quicknet } from "./terms.ts";

const TIMEOUT_MS = 10_000;

const hexText = z.string().regex(/^([0-9a-f]{2})+$/);
const infoAnswer = z.object({
  public_key: hexText,
  period: z.number(),
  genesis_time: z.number(),
  hash: hexText,
  schemeID: z.string(),
});
const roundAnswer = z.object({ round: z.number().int(), randomness: hexText, signature: hexText });

/** What a beacon publishes in a round. */
export type BeaconRound = { round: number; signature: Hex; randomness: Hex };

/**
 * Ask a drand HTTP API for its chain.
 * @param url with the chain's hash as the last part of its path
 * @throws Error when it does not answer, or answers for another chain
 */
export async function readBeaconTerms(url: string): Promise<BeaconTerms> {
  const info = infoAnswer.parse(await readJson(`${url}/info`));
  const { public_key: publicKey, period, genesis_time: genesisTime, hash: chainHash, schemeID: scheme } = info;
  if (!url.toLowerCase().endsWith(`/${chainHash}`)) throw new Error(`The beacon at ${url} is the chain ${chainHash}.`);
  if (chainHash === quicknet.chainHash && publicKey !== quicknet.publicKey) {
    throw new Error(`The beacon at ${url} names another public key than quicknet's.`);
  }
  return beaconTerms.parse({ chainHash, publicKey, scheme, period, genesisTime });
}

/**
 * Ask a drand HTTP API for a round and verify its signature.
 * @returns null when the round is not published yet
 * @throws Error when it does not answer, or the signature is not the beacon's
 */
export async function readBeaconRound(url: string, terms: BeaconTerms, round: number): Promise<BeaconRound | null> {
  const answer = await readJson(`${url}/public/${round}`, [404, 425]);
  if (answer === null) return null;
  const { signature } = roundAnswer.parse(answer);
  const fault = await beaconFault(terms, { round, signature: `0x${signature}` });
  if (fault !== null) throw new Error(`The beacon at ${url}: ${fault}`);
  return { round, signature: `0x${signature}`, randomness: randomnessOf(`0x${signature}`) };
}

/** A round's randomness is the hash of its signature. */
export function randomnessOf(signature: Hex): Hex {
  return sha256(signature);
}

/** Say what is wrong with the signature of a round; null when it is the beacon's. */
export async function beaconFault(
  terms: BeaconTerms,
  { round, signature }: { round: number; signature: Hex },
): Promise<string | null> {
  const { fetchBeacon } = await import("drand-client");
  const info: ChainInfo = {
    public_key: terms.publicKey,
    period: terms.period,
    genesis_time: terms.genesisTime,
    hash: terms.chainHash,
    groupHash: "",
    schemeID: terms.scheme,
    metadata: { beaconID: "" },
  };
  const beacon = { round, signature: signature.slice(2), randomness: randomnessOf(signature).slice(2) };
  const given: ChainClient = {
    options: { disableBeaconVerification: false, noCache: false },
    chain: () => ({ baseUrl: "", info: async () => info }),
    get: async () => beacon,
    latest: async () => beacon,
  };
  return fetchBeacon(given, round).then(
    () => null,
    () => `The signature of round ${round} is not of the beacon ${terms.chainHash}.`,
  );
}

/** @param absent statuses that mean that there is nothing yet */
async function readJson(url: string, absent: readonly number[] = []): Promise<unknown> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (absent.includes(answer.status)) return null;
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}.`);
  return answer.json();
}
