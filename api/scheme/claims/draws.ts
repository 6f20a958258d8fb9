import { type Chain, type Head, newEventReader, submitCall } from "../../platform/chain/index.ts";
import { AppError } from "../../platform/errors.ts";
import type { Log } from "../../platform/log.ts";

/**
 * A payment needs more gas left over than it uses (Claims.PAYMENT_GAS, FALLBACK_GAS); a gas estimate does not show
 * this.
 */
const SETTLE_GAS = 1_000_000n;

/**
 * Settles claims that await their draw as soon as the block after the draw's block exists. The waiting claims are read
 * from the chain, so that a process continues after a kill. Claims that another process settles are skipped.
 */
export class DrawSettler {
  readonly #chain: Chain;
  readonly #log: Log;
  readonly #waiting = new Map<bigint, bigint>();
  readonly #listeners = new Map<bigint, Set<() => void>>();
  readonly #newClaims: ReturnType<typeof newEventReader<"claims", "ClaimAwaitsDraw">>;
  #round: Promise<void> | undefined;
  #unsubscribe: (() => void) | undefined;
  #closed = false;

  constructor({ chain, log }: { chain: Chain; log: Log }) {
    this.#chain = chain;
    this.#log = log;
    this.#newClaims = newEventReader(chain, "claims", "ClaimAwaitsDraw");
  }

  start(): void {
    this.#unsubscribe = this.#chain.head.subscribe((head) => this.#follow(head));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#unsubscribe?.();
    await this.#round;
  }

  /** Wait until a claim is drawn and then paid or held, at most `withinMs` milliseconds. */
  async settled(redemption: bigint, withinMs: number): Promise<void> {
    if ((await this.#drawBlockOf(redemption)) === 0n) return;
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#listeners.get(redemption)?.delete(end);
        resolve();
      };
      const timer = setTimeout(end, withinMs);
      const listeners = this.#listeners.get(redemption) ?? new Set();
      this.#listeners.set(redemption, listeners.add(end));
    });
  }

  /** Settle one round at a time; a later head starts the next. */
  #follow(head: Head): void {
    if (this.#closed || this.#round !== undefined) return;
    this.#round = this.#settleDue(head.number)
      .catch((error) =>
        this.#log.warn({ error }, "Claims that await their draw were not settled; the next block tries again."),
      )
      .finally(() => {
        this.#round = undefined;
      });
  }

  async #settleDue(latest: bigint): Promise<void> {
    await this.#readNew(latest);
    for (const [redemption, drawBlock] of this.#waiting) {
      if (this.#closed) return;
      if (drawBlock < latest) await this.#settle(redemption).catch((error) => this.#leaveWaiting(redemption, error));
    }
  }

  /**
   * Keep a claim that the ledger refuses, for example under a lowered cap, without delaying others. The next block
   * retries it.
   */
  #leaveWaiting(redemption: bigint, error: unknown): void {
    if (!(error instanceof AppError) || error.details.length === 0) throw error;
    this.#log.debug({ error, redemption: String(redemption) }, "A claim that was drawn is not settled yet.");
  }

  async #readNew(latest: bigint): Promise<void> {
    for (const { args } of await this.#newClaims(latest)) this.#waiting.set(args.redemption, args.drawBlock);
  }

  async #settle(redemption: bigint): Promise<void> {
    if ((await this.#drawBlockOf(redemption)) !== 0n) {
      const call = {
        contract: "claims",
        functionName: "settleDrawn",
        args: [redemption],
        purpose: "claim.draw",
      } as const;
      await submitCall({ chain: this.#chain }, {}, { sender: "operator", ...call, gas: SETTLE_GAS });
    }
    this.#waiting.delete(redemption);
    const listeners = this.#listeners.get(redemption);
    this.#listeners.delete(redemption);
    for (const end of listeners ?? []) end();
  }

  async #drawBlockOf(redemption: bigint): Promise<bigint> {
    return (await this.#chain.read("claims", "drawOf", [redemption])).drawBlock;
  }
}
