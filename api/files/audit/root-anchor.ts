import type { Chain } from "../../platform/chain/chain.ts";
import { submitCall } from "../../platform/chain/submit.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db/client.ts";
import type { Log } from "../../platform/log.ts";
import { type AuditRoot, dayOf, dayText, makeRoot, markAnchored, pendingRoots, toHex } from "./daily-roots.ts";

export type AnchorOptions = { db: Database; chain: Chain; clock: Clock; log: Log; schemeKey: string };

/** How often to check whether a day has ended, in milliseconds. */
const everyMs = 60_000;

/** Makes the root of each UTC day after the day has ended and anchors it on chain, exactly once even after crashes. */
export class RootAnchor {
  readonly #options: AnchorOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: AnchorOptions) {
    this.#options = options;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#tick(), everyMs).unref();
    void this.#tick();
  }

  /** Make today's root now and anchor all pending roots. Later events of today go into tomorrow's root. */
  anchorNow(): Promise<AuditRoot[]> {
    return this.#inTurn(dayOf(this.#options.clock.now()));
  }

  /** Make and anchor the root of the day that has ended. */
  anchorEndedDay(): Promise<AuditRoot[]> {
    return this.#inTurn(dayOf(this.#options.clock.now()) - 1);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    await this.#running;
  }

  async #tick(): Promise<void> {
    try {
      await this.anchorEndedDay();
    } catch (error) {
      this.#options.log.warn({ err: error }, "the audit's root is not on chain yet; it is tried again in a minute");
    }
  }

  #inTurn(day: number): Promise<AuditRoot[]> {
    const done = this.#running.then(() => this.#anchor(day));
    this.#running = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  }

  async #anchor(day: number): Promise<AuditRoot[]> {
    if (this.#closed) return [];
    await makeRoot(this.#options, day);
    const anchored: AuditRoot[] = [];
    for (const root of await pendingRoots(this.#options.db)) {
      const transactionHash = await this.#bringOnChain(root);
      if (transactionHash === undefined) continue;
      await markAnchored(this.#options.db, root.day, transactionHash);
      anchored.push({ ...root, transactionHash });
    }
    return anchored;
  }

  /** The transaction that anchored the root; undefined when the chain already has a root of that day or a later one. */
  async #bringOnChain({ day, root, namespaces, events }: AuditRoot): Promise<string | undefined> {
    const { chain, log } = this.#options;
    if ((await chain.read("audits", "latestDay", [])) >= day) {
      const [anchored] = await chain.past("audits", "AuditRootAnchored", { day });
      if (anchored?.args.root === toHex(root)) return anchored.transactionHash;
      // The database was restored from a backup: audit:verify reports what is missing.
      log.error({ day: dayText(day) }, "the chain has another root of this day, or a later one");
      return undefined;
    }
    const args = [day, toHex(root), BigInt(namespaces), BigInt(events)] as const;
    const mined = await submitCall(
      { chain },
      { idempotencyId: `audit-root:${day}:${toHex(root)}` },
      { sender: "operator", contract: "audits", functionName: "anchorRoot", args, purpose: "audit.anchor" },
    );
    log.info({ day: dayText(day), chains: namespaces, events }, "the audit's root is on chain");
    return mined.transactionHash;
  }
}
