import { type Chain, type Head, newEventReader, submitCall } from "../../platform/chain/index.ts";
import { AppError } from "../../platform/errors.ts";
import type { Log } from "../../platform/log.ts";

/** Paying needs gas to spare beyond what it uses (Claims.PAYMENT_GAS, FALLBACK_GAS), which no estimate finds. */
const SETTLE_GAS = 1_000_000n;

/**
 * Settles the claims that wait for a block to draw them, as soon as that block has a successor. What waits is read from the
 * chain, so that a process that was killed goes on where it stopped; a claim that another process settles is passed over.
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

  /** Resolves when a claim is drawn and paid or held, or when `withinMs` are over. */
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

  /** One round at a time; the next head brings the next. */
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

  /** What the ledger refuses, as under a cap that was lowered since, keeps no other claim. The next block tries it again. */
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
