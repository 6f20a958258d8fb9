import { setImmediate as nextTurn } from "node:timers/promises";

/** Others get their turn after so long. */
const turnMs = 20;

/** Bounds what one request may take of the processor, and lets other requests in between. */
export class WorkBudget {
  readonly #ms: number;
  readonly #begun = performance.now();
  #turn = this.#begun;

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** True when the time is used up. */
  get spent(): boolean {
    return performance.now() - this.#begun > this.#ms;
  }

  /** Call between pieces of work. */
  async breathe(): Promise<void> {
    if (performance.now() - this.#turn < turnMs) return;
    await nextTurn();
    this.#turn = performance.now();
  }
}
