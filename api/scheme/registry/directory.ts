import { BoundedCache } from "../../platform/bounded-cache.ts";

export type DirectorySource<Row> = {
  byId(id: string): Promise<Row | null>;
  byIndex(index: number): Promise<Row | null>;
  save(row: Row): Promise<void>;
  /** Indexes of the stored rows, ascending. */
  storedIndexes(): Promise<number[]>;
  /** Index of an id on chain, 0 when it is not registered there. */
  indexOnChain(id: string): Promise<number>;
  /** Whether an index is assigned on chain. */
  isTaken(index: number): Promise<boolean>;
  /** The row in the registration's event on chain. */
  fromChain(index: number): Promise<Row | null>;
};

/**
 * Finds permanent registrations by id or index: in the cache, then the database, then the chain's events. The last is
 * needed because a registration may have been made without this API, or may not have reached its database. Rows hold
 * only what never changes.
 */
export class Directory<Row> {
  readonly #source: DirectorySource<Row>;
  readonly #byId = new BoundedCache<string, Row>(20_000);
  readonly #byIndex = new BoundedCache<number, Row>(20_000);
  /** All indexes up to this one are stored. */
  #complete = 0;

  constructor(source: DirectorySource<Row>) {
    this.#source = source;
  }

  async byId(id: string): Promise<Row | null> {
    return this.#byId.through(id, async () => {
      const stored = await this.#source.byId(id);
      if (stored) return stored;
      const index = await this.#source.indexOnChain(id);
      return index === 0 ? null : this.#fromChain(index);
    });
  }

  async byIndex(index: number): Promise<Row | null> {
    if (index === 0) return null;
    return this.#byIndex.through(index, async () => (await this.#source.byIndex(index)) ?? this.#fromChain(index));
  }

  /** Store what is on chain but not in the database, so that lists are complete. Indexes on chain have no gaps. */
  async catchUp(): Promise<void> {
    if (!(await this.#source.isTaken(this.#complete + 1))) return;
    const stored = new Set(await this.#source.storedIndexes());
    for (let next = this.#complete + 1; ; next++) {
      if (!stored.has(next)) {
        if (!(await this.#source.isTaken(next)) || !(await this.#fromChain(next))) return;
      }
      this.#complete = next;
    }
  }

  async #fromChain(index: number): Promise<Row | null> {
    const row = await this.#source.fromChain(index);
    if (row) await this.#source.save(row);
    return row;
  }
}
