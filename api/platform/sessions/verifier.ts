import { importJWK } from "jose";
import type { Address } from "viem";
import { BoundedCache } from "../bounded-cache.ts";
import type { Chain } from "../chain/index.ts";
import type { Clock } from "../clock.ts";
import { hashSecret, sameHash, type VerifiedKey } from "../keys/index.ts";
import { actorOf } from "./actor.ts";
import type { Standings } from "./standing.ts";
import type { SessionStore } from "./store.ts";
import type { WalletSessionRow } from "./tables.ts";
import { parseToken } from "./token.ts";

/** How long a session is cached, in milliseconds, unless a new block comes first. */
const cacheMs = 1_000;
type Loaded = { loadedAt: number; block: string | undefined; row: WalletSessionRow; verified: VerifiedKey };

export type SessionVerifier = ReturnType<typeof createSessionVerifier>;
export type VerifierParts = {
  store: SessionStore;
  standings: Standings;
  chain: Pick<Chain, "head">;
  clock: Clock;
};

/** Create a verifier of session tokens. It reads an account's standing again after every block and every second. */
export function createSessionVerifier({ store, standings, chain, clock }: VerifierParts) {
  const cache = new BoundedCache<string, Loaded>(10_000);
  const isFresh = ({ loadedAt, block }: Loaded) =>
    // Absolute: after the clock was set back, a cached value must not stay fresh.
    Math.abs(clock.now().getTime() - loadedAt) < cacheMs && block === chain.head.latest?.hash;

  async function load(id: string): Promise<Loaded | null> {
    // Taken before the reads, so that a change during them makes the cached value outdated.
    const loadedAt = clock.now().getTime();
    const block = chain.head.latest?.hash;
    const row = await store.find(id);
    if (row === undefined) return null;
    return { loadedAt, block, row, verified: await toVerified(row, standings) };
  }

  async function find(id: string): Promise<Loaded | null> {
    const known = cache.get(id);
    if (known !== undefined && isFresh(known)) return known;
    cache.delete(id);
    return cache.through(id, () => load(id));
  }

  const isRunning = ({ endedAt, expiresAt }: WalletSessionRow) => endedAt === null && expiresAt > clock.now();
  return {
    /** Return the session's account; undefined when the text is not a token, or it is unknown, wrong, expired or ended. */
    async verify(text: string): Promise<VerifiedKey | undefined> {
      const parts = parseToken(text);
      const loaded = parts && (await find(parts.id));
      if (!loaded || !sameHash(loaded.row.secretHash, hashSecret(parts.secret))) return undefined;
      return isRunning(loaded.row) ? loaded.verified : undefined;
    },
    /** Check that a session has not ended and that its account still has the standing. */
    async isInForce(id: string): Promise<boolean> {
      const row = await store.find(id);
      return row !== undefined && isRunning(row) && (await standings.isHeld(row.address as Address, row));
    },
    /** Remove a session from the cache, so that its end takes effect immediately in this process. */
    forget(id: string): void {
      cache.delete(id);
    },
  };
}

async function toVerified(row: WalletSessionRow, standings: Standings): Promise<VerifiedKey> {
  const { id: sessionId, address, publicJwk } = row;
  const isHeld = await standings.isHeld(address as Address, row);
  const did = isHeld ? await standings.didOf(row) : null;
  return {
    actor: actorOf({ sessionId, address }, isHeld ? row.actsAs : "visitor", did),
    requestsPerMinute: null,
    ranges: null,
    proofKey: { jwk: publicJwk, verifying: importJWK(publicJwk, publicJwk.kty === "EC" ? "ES256" : "EdDSA") },
  };
}
