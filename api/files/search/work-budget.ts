import { setImmediate as nextTurn } from "node:timers/promises";

/** Milliseconds after which it yields to other work. */
const turnMs = 20;

/** Limits the processor time of one request, and lets other requests run in between. */
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
  async yieldToOthers(): Promise<void> {
    if (performance.now() - this.#turn < turnMs) return;
    await nextTurn();
    this.#turn = performance.now();
  }
}
