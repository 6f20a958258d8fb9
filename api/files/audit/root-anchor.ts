import PQueue from "p-queue";
import { type Chain, submitCall } from "../../platform/chain/index.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db/index.ts";
import type { Log } from "../../platform/log.ts";
import type { Worker, Workers } from "../../platform/workers/index.ts";
import { type AuditRoot, dayOf, dayText, makeRoot, markAnchored, pendingRoots, toHex } from "./daily-roots.ts";

export type AnchorOptions = { db: Database; chain: Chain; clock: Clock; log: Log; schemeKey: string; workers: Workers };

/** How often to check whether a day has ended, in milliseconds. */
const everyMs = 60_000;

/** Makes the root of each UTC day after the day has ended and anchors it on chain, exactly once even after crashes. */
export class RootAnchor {
  readonly #options: AnchorOptions;
  readonly #anchoring: Worker;
  readonly #inTurn = new PQueue({ concurrency: 1 });
  #closed = false;

  constructor(options: AnchorOptions) {
    this.#options = options;
    this.#anchoring = options.workers.add({
      name: "audit-root",
      everyMs,
      run: async () => void (await this.anchorEndedDay()),
    });
  }

  start(): void {
    this.#anchoring.start();
  }

  /** Make today's root now and anchor all pending roots. Later events of today go into tomorrow's root. */
  anchorNow(): Promise<AuditRoot[]> {
    return this.#inTurn.add(() => this.#anchor(dayOf(this.#options.clock.now())));
  }

  /** Make and anchor the root of the day that has ended. */
  anchorEndedDay(): Promise<AuditRoot[]> {
    return this.#inTurn.add(() => this.#anchor(dayOf(this.#options.clock.now()) - 1));
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#anchoring.close();
    await this.#inTurn.onIdle();
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
      { idempotencyKey: `audit-root:${day}:${toHex(root)}` },
      { sender: "operator", contract: "audits", functionName: "anchorRoot", args, purpose: "audit.anchor" },
    );
    log.info({ day: dayText(day), chains: namespaces, events }, "the audit's root is on chain");
    return mined.transactionHash;
  }
}
