import { itmoBlockIdOf } from "../../../wire/src/itmo-ids.ts";
import { BoundedCache } from "../../platform/bounded-cache.ts";
import type { Database } from "../../platform/db/index.ts";
import { Directory, type Registry } from "../registry/index.ts";
import { type BlockState, type ItmoChain, type ItmoLedger, openItmoLedger } from "./ledger.ts";
import { openSettlementStore, type SettlementStore } from "./settlements/store.ts";
import {
  type ApproachStore,
  type AuthorizationStore,
  type ConversionStore,
  openApproachStore,
  openAuthorizationStore,
  openConversionStore,
} from "./store.ts";
import type { ApproachRow, AuthorizationRow, ConversionAnswerRow, ConversionRow } from "./tables.ts";

export type ItmoSource = { db: Database; chain: ItmoChain; registry: Registry };

export function openItmo(source: ItmoSource): Itmo {
  return new Itmo(source);
}

/** Reader of cooperative approaches, authorizations, conversions and blocks, for this and other features. */
export class Itmo {
  readonly ledger: ItmoLedger;
  readonly approaches: Directory<ApproachRow>;
  readonly authorizations: Directory<AuthorizationRow>;
  readonly stores: {
    approaches: ApproachStore;
    authorizations: AuthorizationStore;
    conversions: ConversionStore;
    settlements: SettlementStore;
  };
  readonly #chain: ItmoChain;
  /** Hash of the chain block up to which the database is complete, and the work that completes it. */
  #caughtUp: { hash: string; done: Promise<void> } | undefined;
  readonly #requests = new BoundedCache<number, ConversionRow>(10_000);

  constructor({ db, chain, registry }: ItmoSource) {
    this.#chain = chain;
    this.ledger = openItmoLedger(chain, registry);
    const approaches = openApproachStore(db);
    const authorizations = openAuthorizationStore(db);
    const [conversions, settlements] = [openConversionStore(db), openSettlementStore(db)];
    this.stores = { approaches, authorizations, conversions, settlements };
    this.approaches = new Directory({
      ...approaches,
      indexOnChain: this.ledger.approachIndex,
      isTaken: this.ledger.approachIsTaken,
      fromChain: this.ledger.approachRegistration,
    });
    this.authorizations = new Directory({
      ...authorizations,
      indexOnChain: this.ledger.authorizationIndex,
      isTaken: this.ledger.authorizationIsTaken,
      fromChain: this.ledger.authorizationRegistration,
    });
  }

  /** Read the request of a conversion; null if the chain has none with this number. */
  async conversion(conversion: number): Promise<ConversionRow | null> {
    if (conversion === 0) return null;
    return this.#requests.through(conversion, async () => {
      const stored = await this.stores.conversions.byIndex(conversion);
      if (stored !== null) return stored;
      const row = await this.ledger.conversionRequest(conversion, (index) => this.#approachOf(index));
      if (row !== null) await this.stores.conversions.save(row);
      return row;
    });
  }

  /** Read the outcome of a conversion; null while it is open. An outcome is final, so it is stored when first read. */
  async responseOf(conversion: number): Promise<ConversionAnswerRow | null> {
    const stored = await this.stores.conversions.responseOf(conversion);
    if (stored !== null) return stored;
    const answer = await this.ledger.conversionAnswer(conversion);
    if (answer !== null) await this.stores.conversions.saveAnswer(answer);
    return answer;
  }

  /** Store the requests and outcomes that only the chain has, so that lists are complete. */
  async catchUp(): Promise<void> {
    const { hash } = await this.#chain.head.fetch();
    if (this.#caughtUp?.hash !== hash) {
      const done = this.#catchUp();
      this.#caughtUp = { hash, done };
      done.catch(() => {
        this.#caughtUp = undefined;
      });
    }
    return this.#caughtUp?.done;
  }

  async #catchUp(): Promise<void> {
    const count = await this.ledger.conversionCount();
    for (let next = (await this.stores.conversions.storedUpTo()) + 1; next <= count; next++)
      await this.conversion(next);
    await inTurns(await this.stores.conversions.unanswered(), async (conversion) => {
      const state = await this.ledger.conversionState(conversion);
      if (state !== null && state.status !== "requested") await this.responseOf(conversion);
    });
  }

  /** Read at most `limit` blocks of a conversion, starting at a serial, in the order of their serials. */
  async blocksOf(conversion: number, from: bigint | undefined, limit: number): Promise<BlockState[]> {
    const answer = await this.responseOf(conversion);
    if (answer?.status !== "finalised" || answer.firstId === null || answer.lastId === null) return [];
    const found: BlockState[] = [];
    const lastId = BigInt(answer.lastId);
    for (let firstId = from ?? BigInt(answer.firstId); firstId <= lastId && found.length < limit; ) {
      const block = await this.ledger.blockState(itmoBlockIdOf(conversion, firstId));
      if (block === null) break;
      found.push(block);
      firstId = block.lastId + 1n;
    }
    return found;
  }

  /** Find the conversion whose minted range contains a registry's serial; null if none does. */
  async conversionWith(registryId: string, serial: bigint): Promise<ConversionAnswerRow | null> {
    const conversion = await this.ledger.serialPredecessor(registryId, serial);
    const answer = conversion === 0 ? null : await this.responseOf(conversion);
    return answer?.lastId && BigInt(answer.lastId) >= serial ? answer : null;
  }

  async #approachOf(authorization: number): Promise<number> {
    const row = await this.authorizations.byIndex(authorization);
    if (row === null) throw new Error(`The chain knows no authorization ${authorization}.`);
    return row.approach;
  }
}

/** Process each item, a few concurrently. */
async function inTurns(items: number[], work: (item: number) => Promise<void>): Promise<void> {
  for (let i = 0; i < items.length; i += 50) await Promise.all(items.slice(i, i + 50).map(work));
}
