/** How many counters below the highest are still told apart; older ones count as seen. Some ten seconds of a call. */
const size = 1024;

/** Which counters of one key have come: each passes once. */
export class ReplayWindow {
  #highest = -1;
  readonly #seen = new Set<number>();

  /** Whether the counter is new. Ask before opening; `add` only what could be opened. */
  isNew(counter: number): boolean {
    return counter > this.#highest - size && !this.#seen.has(counter);
  }

  add(counter: number): void {
    this.#seen.add(counter);
    if (counter <= this.#highest) return;
    this.#highest = counter;
    // In the order of their coming: the first ones are the oldest, but for a few that came late.
    for (const old of this.#seen) {
      if (old > counter - size) break;
      this.#seen.delete(old);
    }
  }
}
