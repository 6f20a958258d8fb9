import { newEventReader } from "../../platform/chain/index.ts";
import type { Worker, Workers } from "../../platform/workers/index.ts";
import { BURNING_TYPE, operationIdOf, startBurning } from "./burning.ts";
import type { CertificateDeps } from "./deps.ts";
import { certificateStatusNumber } from "./directory.ts";

/**
 * Starts the burning of vouchers for every revoked certificate, including revocations by other processes or directly on
 * chain. Revocations and vetoes are read from the chain, so that a process continues after a kill.
 */
export class RevocationWatch {
  readonly #deps: CertificateDeps;
  readonly #newChanges: ReturnType<typeof newEventReader<"certificates", "CertificateStatusChanged">>;
  /** Certificates that were ever revoked, including vetoed revocations. */
  readonly #known = new Set<number>();
  /** Certificates whose operation must be updated, and whether each is revoked now. */
  readonly #changed = new Map<number, boolean>();
  #unsubscribe: (() => void) | undefined;
  readonly #looking: Worker;
  #isFirst = true;

  constructor(deps: CertificateDeps & { workers: Workers }) {
    this.#deps = deps;
    this.#newChanges = newEventReader(deps.chain, "certificates", "CertificateStatusChanged");
    this.#looking = deps.workers.add({ name: "revoked-certificates", run: () => this.#followNew() });
  }

  /** Process what happened while no process ran, and then each block. */
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
      if (await this.#updateOperation(certificate, isRevoked)) this.#changed.delete(certificate);
    }
    if (await operations.store.resumeDue(BURNING_TYPE, new Date(Number(timestamp) * 1000))) operations.wake();
    this.#isFirst = false;
  }

  /**
   * Update the certificate's operation. @returns false while the operation runs: it may have read the chain before the
   * change, so the next block tries again
   */
  async #updateOperation(certificate: number, isRevoked: boolean): Promise<boolean> {
    const { certificates, operations } = this.#deps;
    const id = operationIdOf(certificate);
    if (isRevoked) {
      const row = await certificates.byIndex(certificate);
      if (row === null) throw new Error(`Certificate ${certificate} is revoked, and not registered.`);
      await startBurning(this.#deps, row);
      // Retry an operation that failed before the last start: nothing else does.
      if (this.#isFirst) await operations.store.restart(id, "failed");
    }
    await operations.store.resume(id);
    operations.wake();
    return (await operations.store.find(id))?.status !== "running";
  }
}
