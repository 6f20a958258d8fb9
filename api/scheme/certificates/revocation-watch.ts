import { newEventReader } from "../../platform/chain/index.ts";
import type { Worker, Workers } from "../../platform/workers/index.ts";
import { BURNING_TYPE, operationIdOf, startBurning } from "./burning.ts";
import type { CertificateDeps } from "./deps.ts";
import { certificateStatusNumber } from "./directory.ts";

/**
 * Has the vouchers of every revoked certificate burned once that is final, whoever revoked it: through this API, another
 * process, or the chain alone. Revocations and vetoes are read from the chain, so that a process that was killed goes on
 * where it stopped.
 */
export class RevocationWatch {
  readonly #deps: CertificateDeps;
  readonly #newChanges: ReturnType<typeof newEventReader<"certificates", "CertificateStatusChanged">>;
  /** Certificates that were ever revoked, vetoed or not. */
  readonly #known = new Set<number>();
  /** Certificates whose operation has to hear of a change: whether they are revoked now. */
  readonly #changed = new Map<number, boolean>();
  #unsubscribe: (() => void) | undefined;
  readonly #looking: Worker;
  #isFirst = true;

  constructor(deps: CertificateDeps & { workers: Workers }) {
    this.#deps = deps;
    this.#newChanges = newEventReader(deps.chain, "certificates", "CertificateStatusChanged");
    this.#looking = deps.workers.add({ name: "revoked-certificates", run: () => this.#followNew() });
  }

  /** Look at once for what happened while no process ran, and then at each block. */
  start(): void {
    this.#unsubscribe = this.#deps.chain.head.subscribe(() => this.#looking.nudge());
    this.#looking.start();
  }

  async close(): Promise<void> {
    this.#unsubscribe?.();
    await this.#looking.close();
  }

  async #followNew(): Promise<void> {
    const { chain, operations } = this.#deps;
    const { number, timestamp } = chain.head.latest ?? (await chain.latest());
    for (const { args } of await this.#newChanges(number)) {
      const isRevoked = args.status === certificateStatusNumber.revoked;
      if (isRevoked) this.#known.add(args.certificate);
      if (this.#known.has(args.certificate)) this.#changed.set(args.certificate, isRevoked);
    }
    for (const [certificate, isRevoked] of this.#changed) {
      if (await this.#tell(certificate, isRevoked)) this.#changed.delete(certificate);
    }
    if (await operations.store.resumeDue(BURNING_TYPE, new Date(Number(timestamp) * 1000))) operations.wake();
    this.#isFirst = false;
  }

  /** @returns false for an operation that runs: it may have read the chain before the change, so the next block asks again */
  async #tell(certificate: number, isRevoked: boolean): Promise<boolean> {
    const { certificates, operations } = this.#deps;
    const id = operationIdOf(certificate);
    if (isRevoked) {
      const row = await certificates.byIndex(certificate);
      if (row === null) throw new Error(`Certificate ${certificate} is revoked, and not registered.`);
      await startBurning(this.#deps, row);
      // What failed before the last start gets another chance: nobody else asks for it.
      if (this.#isFirst) await operations.store.restart(id, "failed");
    }
    await operations.store.resume(id);
    operations.wake();
    return (await operations.store.find(id))?.status !== "running";
  }
}
