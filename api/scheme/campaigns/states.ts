import type { HeadWatcher } from "../../platform/chain/index.ts";
import type { CampaignLedger } from "./ledger.ts";
import type { CampaignState } from "./model.ts";

/** Reads campaigns' states from the chain: anew, or at most once a block for who asks many times a second. */
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

  /** As the chain has it now. */
  async now(campaign: number): Promise<CampaignState> {
    const state = await this.#ledger.stateOf(campaign);
    this.#byCampaign.set(campaign, Promise.resolve(state));
    return state;
  }

  /** As the chain has had it since the latest block that was seen. */
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

  /** Forgets what was read: the campaign has just been changed. */
  forget(campaign: number): void {
    this.#byCampaign.delete(campaign);
    this.#lastWork = undefined;
  }

  /** Does some work once for each block that is seen; callers that come meanwhile wait for it. */
  async oncePerHead(work: () => Promise<void>): Promise<void> {
    const hash = this.#head.latest?.hash;
    return hash === undefined ? work() : this.#once(hash, work);
  }

  /** Does it unless it was done since the chain's very latest block, which is asked for. */
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
