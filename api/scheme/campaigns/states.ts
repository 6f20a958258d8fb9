import type { HeadWatcher } from "../../platform/chain/index.ts";
import type { CampaignLedger } from "./ledger.ts";
import type { CampaignState } from "./model.ts";

/** Reader of campaigns' states on chain: a fresh read, or at most one per block for frequent callers. */
export class StateReader {
  readonly #ledger: Pick<CampaignLedger, "stateOf">;
  readonly #head: Pick<HeadWatcher, "latest" | "fetch">;
  readonly #byCampaign = new Map<number, Promise<CampaignState>>();
  #hashOfStates: string | undefined;
  #lastWork: { hash: string; done: Promise<void> } | undefined;

  constructor(ledger: Pick<CampaignLedger, "stateOf">, head: Pick<HeadWatcher, "latest" | "fetch">) {
    this.#ledger = ledger;
    this.#head = head;
  }

  /** Read the current state from the chain. */
  async now(campaign: number): Promise<CampaignState> {
    const state = await this.#ledger.stateOf(campaign);
    this.#byCampaign.set(campaign, Promise.resolve(state));
    return state;
  }

  /** Read the state at the latest block that was seen. */
  async atHead(campaign: number): Promise<CampaignState> {
    const hash = this.#head.latest?.hash;
    if (hash === undefined) return this.now(campaign);
    if (hash !== this.#hashOfStates) this.#byCampaign.clear();
    this.#hashOfStates = hash;
    const known = this.#byCampaign.get(campaign);
    if (known) return known;
    const reading = this.#ledger.stateOf(campaign);
    this.#byCampaign.set(campaign, reading);
    reading.catch(() => this.#byCampaign.delete(campaign));
    return reading;
  }

  /** Forget the state that was read, after a change of the campaign. */
  forget(campaign: number): void {
    this.#byCampaign.delete(campaign);
    this.#lastWork = undefined;
  }

  /** Run work once per block that is seen; concurrent callers wait for it. */
  async oncePerHead(work: () => Promise<void>): Promise<void> {
    const hash = this.#head.latest?.hash;
    return hash === undefined ? work() : this.#once(hash, work);
  }

  /** Request the latest block, and run the work unless it has run since that block. */
  async oncePerLatest(work: () => Promise<void>): Promise<void> {
    return this.#once((await this.#head.fetch()).hash, work);
  }

  async #once(hash: string, work: () => Promise<void>): Promise<void> {
    if (this.#lastWork?.hash !== hash) {
      const done = work();
      this.#lastWork = { hash, done };
      done.catch(() => {
        this.#lastWork = undefined;
      });
    }
    return this.#lastWork?.done;
  }
}
