/** Serial ranges of many registries in little memory, compared in one pass. */

export type Span = { group: string; first: bigint; last: bigint; attribute: string; row: number };
/** Two spans of one group that share a serial. `earlier` begins no later than `later`. */
export type Overlap = { earlier: Span; later: Span };

/** Numbers texts, so that each needs little memory. */
class Words {
  readonly #numbers = new Map<string, number>();
  readonly #words: string[] = [];

  numberOf(word: string): number {
    const known = this.#numbers.get(word);
    if (known !== undefined) return known;
    this.#numbers.set(word, this.#words.length);
    return this.#words.push(word) - 1;
  }

  wordOf(number: number): string {
    return this.#words[number] ?? "";
  }
}

const compare = (a: bigint, b: bigint): number => (a === b ? 0 : a < b ? -1 : 1);

/**
 * A growing list of ranges, each with a group (its registry) and an attribute (a value that must be equal, or a mark). 28 bytes
 * per range, regardless of the texts.
 */
export class Ranges {
  readonly #words = new Words();
  #bounds = new BigUint64Array(1_024);
  #tags = new Uint32Array(1_536);
  #count = 0;

  get size(): number {
    return this.#count;
  }

  add({ group, first, last, attribute, row }: Span): void {
    if (this.#count * 2 === this.#bounds.length) this.#grow();
    this.#bounds.set([first, last], this.#count * 2);
    this.#tags.set([this.#words.numberOf(group), this.#words.numberOf(attribute), row], this.#count * 3);
    this.#count += 1;
  }

  /**
   * List every range that shares a serial with an earlier one, once, with the earlier one that reaches furthest. The list is
   * empty if and only if all ranges of a group are disjoint.
   */
  *overlaps(): Generator<Overlap> {
    let furthest = -1;
    for (const at of this.#sorted()) {
      const isSameGroup = furthest >= 0 && this.#tags[furthest * 3] === this.#tags[at * 3];
      const reach = isSameGroup ? (this.#bounds[furthest * 2 + 1] as bigint) : -1n;
      if ((this.#bounds[at * 2] as bigint) <= reach) yield { earlier: this.#spanAt(furthest), later: this.#spanAt(at) };
      if (!isSameGroup || (this.#bounds[at * 2 + 1] as bigint) > reach) furthest = at;
    }
  }

  /** List all ranges with their places in the order of adding, a range before the ranges that it contains. */
  *widestFirst(): Generator<{ at: number; span: Span }> {
    const lastOf = (at: number) => this.#bounds[at * 2 + 1] as bigint;
    for (const at of this.#sorted((a, b) => compare(lastOf(b), lastOf(a)))) yield { at, span: this.#spanAt(at) };
  }

  /** Sort by group, then by first serial, then by `next`, then in the order of adding. */
  #sorted(next: (a: number, b: number) => number = () => 0): Uint32Array {
    const order = Uint32Array.from({ length: this.#count }, (_, i) => i);
    const firstOf = (at: number) => this.#bounds[at * 2] as bigint;
    return order.sort((a, b) => {
      const byGroup = (this.#tags[a * 3] as number) - (this.#tags[b * 3] as number);
      return byGroup || compare(firstOf(a), firstOf(b)) || next(a, b) || a - b;
    });
  }

  #spanAt(at: number): Span {
    return {
      group: this.#words.wordOf(this.#tags[at * 3] as number),
      first: this.#bounds[at * 2] as bigint,
      last: this.#bounds[at * 2 + 1] as bigint,
      attribute: this.#words.wordOf(this.#tags[at * 3 + 1] as number),
      row: this.#tags[at * 3 + 2] as number,
    };
  }

  #grow(): void {
    const [bounds, tags] = [new BigUint64Array(this.#bounds.length * 2), new Uint32Array(this.#tags.length * 2)];
    bounds.set(this.#bounds);
    tags.set(this.#tags);
    [this.#bounds, this.#tags] = [bounds, tags];
  }
}
