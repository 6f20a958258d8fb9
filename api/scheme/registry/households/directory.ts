import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import type { Address, Hex } from "viem";
import { BoundedCache } from "../../../platform/bounded-cache.ts";
import { together } from "../../../platform/db/index.ts";
import { isZero } from "../../../platform/values/zero-address.ts";
import type { Ledger } from "../ledger.ts";
import { type HouseholdStore, isRegistered, type RegisteredHousehold } from "./store.ts";
import type { HouseholdRow } from "./tables.ts";

const DIDS_PER_PART = 5_000;
/** Most questions to the chain in parallel. */
const DIDS_AT_ONCE = 50;

/** Households by DID or index. Fields that never change are kept in memory. A household exists once it is on chain. */
export class HouseholdDirectory {
  readonly #store: HouseholdStore;
  readonly #ledger: Ledger;
  readonly #schemeKey: KeyObject;
  readonly #byHash = new BoundedCache<string, RegisteredHousehold>(50_000);
  readonly #byIndex = new BoundedCache<number, RegisteredHousehold>(50_000);
  readonly #loadIndex: (index: number) => Promise<RegisteredHousehold | null>;

  /** @param schemeKey 64 hexadecimal digits */
  constructor(store: HouseholdStore, ledger: Ledger, schemeKey: string) {
    this.#store = store;
    this.#ledger = ledger;
    this.#schemeKey = createSecretKey(schemeKey.replace(/^0x/, ""), "hex");
    this.#loadIndex = together(async (indexes: readonly number[]) => {
      const rows = await store.byIndexes([...indexes]);
      const found = new Map(rows.map((row) => [row.household, row]));
      return indexes.map((index) => found.get(index) ?? null);
    });
  }

  /** Compute the id of a household on chain: HMAC-SHA-256(scheme key, DID). */
  hashOf(did: string): Hex {
    return `0x${createHmac("sha256", this.#schemeKey).update(did, "utf8").digest("hex")}`;
  }

  /** Find a household; null unless it is registered on chain. */
  async byDid(did: string): Promise<RegisteredHousehold | null> {
    const hash = this.hashOf(did);
    const found = await this.#byHash.through(hash, () => this.#find(did, hash));
    if (found) this.#byIndex.set(found.household, found);
    return found;
  }

  /** Find those of many DIDs that are registered. */
  async byDids(dids: string[]): Promise<Map<string, RegisteredHousehold>> {
    const found = new Map<string, RegisteredHousehold>();
    const unknown = new Map([...new Set(dids)].map((did) => [this.hashOf(did) as string, did]));
    for (const row of await this.#store.byHashes([...unknown.keys()])) {
      if (!isRegistered(row)) continue;
      found.set(row.did, row);
      unknown.delete(row.hash);
    }
    if (unknown.size > 0 && (await this.#isBehindChain())) await this.#askChain([...unknown.values()], found);
    return found;
  }

  /** Find those of very many DIDs that are not registered; fast when most of them are. */
  async unregistered(dids: string[]): Promise<Set<string>> {
    const missing: string[] = [];
    // Let other requests run between two parts.
    for (let i = 0; i < dids.length; i += DIDS_PER_PART) {
      const didByHash = new Map(dids.slice(i, i + DIDS_PER_PART).map((did) => [this.hashOf(did) as string, did]));
      const hashes = await this.#store.missing([...didByHash.keys()]);
      for (const hash of hashes) missing.push(didByHash.get(hash) ?? "");
    }
    const found = await this.byDids(missing);
    return new Set(missing.filter((did) => !found.has(did)));
  }

  /** Rows by hash, also of registrations that have not been seen on chain. */
  async rowsOf(hashes: readonly string[]): Promise<Map<string, HouseholdRow>> {
    return new Map((await this.#store.byHashes([...hashes])).map((row) => [row.hash, row]));
  }

  /** Find a household; callers of the same moment share one statement. */
  async byIndex(index: number): Promise<RegisteredHousehold | null> {
    return this.#byIndex.through(index, () => this.#loadIndex(index));
  }

  async byIndexes(indexes: number[]): Promise<Map<number, RegisteredHousehold>> {
    const found = new Map<number, RegisteredHousehold>();
    const missing: number[] = [];
    for (const index of new Set(indexes)) {
      const known = this.#byIndex.get(index);
      if (known) found.set(index, known);
      else missing.push(index);
    }
    for (const row of await this.#store.byIndexes(missing)) {
      found.set(row.household, row);
      this.#byIndex.set(row.household, row);
    }
    return found;
  }

  /** Read the household's account; null when it has none. */
  async accountOf(index: number): Promise<Address | null> {
    const account = await this.#ledger.participants.read.householdAccount([index]);
    return isZero(account) ? null : account;
  }

  /**
   * Whether some households on chain have no complete row here. Only then is a lookup of each on chain worth its cost.
   */
  async #isBehindChain(): Promise<boolean> {
    const [onChain, here] = await Promise.all([
      this.#ledger.participants.read.householdCount(),
      this.#store.countRegistered(),
    ]);
    return here < onChain;
  }

  async #askChain(dids: string[], found: Map<string, RegisteredHousehold>): Promise<void> {
    for (let i = 0; i < dids.length; i += DIDS_AT_ONCE) {
      const some = await Promise.all(dids.slice(i, i + DIDS_AT_ONCE).map((did) => this.byDid(did)));
      for (const row of some) if (row) found.set(row.did, row);
    }
  }

  /** A row without index may belong to a registration that reached the chain unnoticed. */
  async #find(did: string, hash: Hex): Promise<RegisteredHousehold | null> {
    const stored = await this.#store.byHash(hash);
    if (stored && isRegistered(stored)) return stored;
    const household = await this.#ledger.participants.read.householdIndex([hash]);
    if (household === 0) return null;
    if (!stored) await this.#store.savePending(unknownHousehold(did, hash));
    await this.#store.complete(hash, household, null);
    const healed = await this.#store.byHash(hash);
    return healed && isRegistered(healed) ? healed : null;
  }
}

function unknownHousehold(did: string, hash: string) {
  const nothing = { account: null, region: null, men: null, women: null, children: null, elderly: null };
  return { hash, did, household: null, ...nothing, registeredBy: null, transactionHash: null, createdAt: new Date() };
}
