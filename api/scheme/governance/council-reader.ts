import type { Hex } from "viem";
import { type Chain, type Head, orUnavailable } from "../../platform/chain/index.ts";
import { type CouncilContext, type CouncilState, readCouncilState } from "./council-state.ts";
import { type CouncilHistory, HistoryReader } from "./history.ts";

export type CouncilNow = {
  context: CouncilContext & { state: CouncilState };
  history: CouncilHistory;
  /** Chain time. */
  now: Date;
};

/** Reads the whole council at one block, each block once. */
export class CouncilReader {
  readonly #chain: Chain;
  readonly #history: HistoryReader;
  #last: { hash: Hex; council: Promise<CouncilNow> } | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(chain: Chain) {
    this.#chain = chain;
    this.#history = new HistoryReader(chain);
  }

  /** Read the council at the latest block. @throws AppError UNAVAILABLE when the chain does not answer */
  now(): Promise<CouncilNow> {
    return orUnavailable(this.#latest());
  }

  async #latest(): Promise<CouncilNow> {
    const block = await this.#chain.latest();
    if (this.#last?.hash !== block.hash) {
      // One read after the other: the history's cache does not support two in parallel.
      const council = this.#turn.then(() => this.#read(block));
      this.#turn = council.catch(() => undefined);
      this.#last = { hash: block.hash, council };
      council.catch(() => {
        if (this.#last?.council === council) this.#last = undefined;
      });
    }
    return await this.#last.council;
  }

  async #read({ number, timestamp }: Head): Promise<CouncilNow> {
    const { id: chainId, client, contracts } = this.#chain;
    const [state, history] = await Promise.all([
      readCouncilState(client, contracts, number),
      this.#history.read(number),
    ]);
    const operations = Object.fromEntries([...history.operations].map(([id, past]) => [id, past.operation]));
    return { context: { chainId, contracts, state, operations }, history, now: new Date(Number(timestamp) * 1000) };
  }
}
