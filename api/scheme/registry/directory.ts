import { BoundedCache } from "../../platform/bounded-cache.ts";

export type DirectorySource<Row> = {
  byId(id: string): Promise<Row | null>;
  byIndex(index: number): Promise<Row | null>;
  save(row: Row): Promise<void>;
  /** Indexes of the rows that are stored, ascending. */
  storedIndexes(): Promise<number[]>;
  /** Index on chain of an id, 0 when the chain does not know it. */
  indexOnChain(id: string): Promise<number>;
  /** Whether the chain has given an index to somebody. */
  isTaken(index: number): Promise<boolean>;
  /** The row that the registration's event tells. */
  fromChain(index: number): Promise<Row | null>;
};

/**
 * Finds what is registered for good by id or index: cache, then database, then the chain's own event, because a registration
 * may have been made without this API or may not have reached its database. Rows hold only what never changes.
 */
export class Directory<Row> {
  readonly #source: DirectorySource<Row>;
  readonly #byId = new BoundedCache<string, Row>(20_000);
  readonly #byIndex = new BoundedCache<number, Row>(20_000);
  /** Indexes up to this one are all stored. */
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

  /** Stores what the chain has and the database has not, so that lists are whole. Indexes have no gaps on chain. */
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
