import { newEventReader } from "../../chain/new-events.ts";
import type { Deps } from "../../deps.ts";
import { operationIdOf, startBurning } from "./burning.ts";
import { certificateStatusNumber } from "./directory.ts";

/**
 * Has the vouchers of every revoked certificate burned, whoever revoked it: through this API, another process, or the chain
 * alone. Revocations are read from the chain, so that a process that was killed goes on where it stopped.
 */
export class RevocationWatch {
  readonly #deps: Deps;
  readonly #newChanges: ReturnType<typeof newEventReader<"certificates", "CertificateStatusChanged">>;
  readonly #revoked = new Set<number>();
  #unsubscribe: (() => void) | undefined;
  #round: Promise<void> | undefined;
  #again = false;
  #isFirst = true;

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#newChanges = newEventReader(deps.chain, "certificates", "CertificateStatusChanged");
  }

  /** Look at once for what happened while no process ran, and then at each block. */
  start(): void {
    this.#unsubscribe = this.#deps.chain.head.subscribe(() => this.#look());
    this.#look();
  }

  async close(): Promise<void> {
    this.#unsubscribe?.();
    this.#again = false;
    await this.#round;
  }

  #look(): void {
    this.#again = true;
    this.#round ??= this.#burnNew()
      .catch((error: unknown) =>
        this.#deps.log.warn({ err: error }, "Revoked certificates were not looked for; the next block tries again."),
      )
      .finally(() => {
        this.#round = undefined;
      });
  }

  async #burnNew(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      const { head, latest } = this.#deps.chain;
      const { number } = head.latest ?? (await latest());
      for (const { args } of await this.#newChanges(number)) {
        if (args.status === certificateStatusNumber.revoked) this.#revoked.add(args.certificate);
      }
      for (const certificate of this.#revoked) {
        await this.#burn(certificate);
        this.#revoked.delete(certificate);
      }
      this.#isFirst = false;
    }
  }

  async #burn(certificate: number): Promise<void> {
    const row = await this.#deps.registry.certificates.byIndex(certificate);
    if (row === null) throw new Error(`Certificate ${certificate} is revoked, and not registered.`);
    await startBurning(this.#deps, row);
    // What failed before the last start gets another chance: nobody else asks for it.
    if (this.#isFirst) await this.#deps.operations.store.retry(operationIdOf(certificate));
  }
}
