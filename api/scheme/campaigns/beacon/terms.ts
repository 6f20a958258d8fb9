import { type Hex, keccak256 } from "viem";
import { z } from "zod";

/**
 * A public randomness beacon (drand), as a campaign's terms commit it: its signatures take part in the draw. `publicKey` decides; the
 * rest says which round counts and how to verify it.
 */
export const beaconTerms = z.object({
  /** Hash that names the beacon's chain, 64 hexadecimal digits. */
  chainHash: z.string().regex(/^[0-9a-f]{64}$/),
  publicKey: z.string().regex(/^([0-9a-f]{2}){32,128}$/),
  /** Name of the signature scheme. */
  scheme: z.string().min(1).max(64),
  /** Seconds between rounds. */
  period: z.number().int().min(1).max(86_400),
  /** Time of the first round, unix seconds. */
  genesisTime: z.number().int().min(0),
});
export type BeaconTerms = z.infer<typeof beaconTerms>;

/** The network that most people know; a campaign may commit another one. Source: https://docs.drand.love (quicknet). */
export const quicknet: BeaconTerms = {
  chainHash: "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
  publicKey:
    "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",
  scheme: "bls-unchained-g1-rfc9380",
  period: 3,
  genesisTime: 1_692_803_367,
};

/** Seconds from the draw block to the round that counts: the block's time may be a little early. */
export const BEACON_DELAY = 30;

/** The round that counts for a draw block: the first that is published `BEACON_DELAY` or more after the block. */
export function beaconRoundOf({ genesisTime, period }: BeaconTerms, drawBlockTime: number): number {
  return Math.max(0, Math.ceil((drawBlockTime + BEACON_DELAY - genesisTime) / period)) + 1;
}

/** When a round is published, unix seconds. */
export function beaconTimeOf({ genesisTime, period }: BeaconTerms, round: number): number {
  return genesisTime + (round - 1) * period;
}

/** The seed that orders the households: the contract's, with the beacon's randomness. */
export function withRandomness(seed: Hex, randomness: Hex): Hex {
  return keccak256(`0x${seed.slice(2)}${randomness.slice(2)}`);
}
