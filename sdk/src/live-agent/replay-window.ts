/** Number of counters below the highest that are tracked, about ten seconds of a call; older ones count as seen. */
const size = 1024;

/** Remember the counters of one key, so that each frame is accepted once. */
export class ReplayWindow {
  #highest = -1;
  readonly #seen = new Set<number>();

  /** Tell whether the counter is new. Check before decrypting; `add` it only after that succeeded. */
  isNew(counter: number): boolean {
    return counter > this.#highest - size && !this.#seen.has(counter);
  }

  add(counter: number): void {
    this.#seen.add(counter);
    if (counter <= this.#highest) return;
    this.#highest = counter;
    // In order of arrival: the first ones are the oldest, except for a few that came late.
    for (const old of this.#seen) {
      if (old > counter - size) break;
      this.#seen.delete(old);
    }
  }
}
