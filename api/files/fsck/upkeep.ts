import type { Chain } from "../../platform/chain/index.ts";
import type { Clock } from "../../platform/clock.ts";
import { AppError } from "../../platform/errors.ts";
import type { Log } from "../../platform/log.ts";
import type { Worker, Workers } from "../../platform/workers/index.ts";
import type { AuditReport } from "../audit/audit-report.ts";
import type { AuditRoot } from "../audit/daily-roots.ts";
import { chainRoots } from "../audit/onchain-roots.ts";
import { RootAnchor } from "../audit/root-anchor.ts";
import { verifyAudit } from "../audit/verify-audit.ts";
import { finishPurges } from "../purge/finish-purges.ts";
import { checkBlobs } from "./check-blobs.ts";
import { defaultGraceMs, type FsckOptions, runFsck } from "./fsck.ts";
import type { Finding, FsckDeps, FsckReport } from "./report.ts";
import { Scrubber } from "./scrubber.ts";

export type UpkeepOptions = {
  deps: FsckDeps;
  chain: Chain;
  clock: Clock;
  log: Log;
  workers: Workers;
  schemeKey: string;
  /** Most bytes per second that the scrub reads; 0 turns it off. */
  scrubBytesPerSecond: number;
};

/** Interval at which leftovers of purges are destroyed and orphaned blobs collected, in milliseconds. */
const collectMs = 6 * 3_600_000;
/** Bytes per second that a check on demand reads at most. */
const onlineBytesPerSecond = 100_000_000;

/** The file store's background work: collects orphans, scrubs its content, anchors its audit. Runs checks on demand. */
export class Upkeep {
  readonly #options: UpkeepOptions;
  readonly #anchor: RootAnchor;
  readonly #scrubber: Scrubber;
  readonly #stopped = new AbortController();
  readonly #purging: Worker;
  readonly #collecting: Worker;
  #checking: Promise<FsckReport> | undefined;

  constructor(options: UpkeepOptions) {
    this.#options = options;
    const { deps, chain, clock, log, workers, schemeKey, scrubBytesPerSecond } = options;
    this.#anchor = new RootAnchor({ db: deps.db, chain, clock, log, schemeKey, workers });
    this.#scrubber = new Scrubber({ deps, clock, log, workers, bytesPerSecond: scrubBytesPerSecond });
    this.#purging = workers.add({ name: "purge-leftovers", everyMs: collectMs, run: () => finishPurges(deps) });
    this.#collecting = workers.add({
      name: "orphaned-blobs",
      everyMs: collectMs,
      run: ({ signal }) => this.#collectBlobs(signal),
    });
  }

  start(): void {
    this.#anchor.start();
    this.#scrubber.start();
    this.#purging.start();
    this.#collecting.start();
  }

  /** Check everything while the service runs. @throws AppError CONFLICT while another check is running */
  async fsck(options: Pick<FsckOptions, "repair" | "scrub">): Promise<FsckReport> {
    if (this.#checking !== undefined) throw new AppError("CONFLICT", "A check of the file store is already running.");
    const { deps, schemeKey, chain } = this.#options;
    const signal = this.#stopped.signal;
    const limits = { bytesPerSecond: onlineBytesPerSecond, graceMs: defaultGraceMs, signal };
    this.#checking = runFsck(deps, { ...options, ...limits, schemeKey, chain: chainRoots(chain) });
    try {
      return await this.#checking;
    } finally {
      this.#checking = undefined;
    }
  }

  verifyAudit(): Promise<AuditReport> {
    const { deps, clock, schemeKey, chain } = this.#options;
    return verifyAudit({ db: deps.db, clock, schemeKey, chain: chainRoots(chain), signal: this.#stopped.signal });
  }

  /** Anchor all events so far on chain. */
  anchorAudit(): Promise<AuditRoot[]> {
    return this.#anchor.anchorNow();
  }

  async close(): Promise<void> {
    this.#stopped.abort();
    const jobs = [this.#anchor, this.#scrubber, this.#purging, this.#collecting];
    await Promise.all(jobs.map((job) => job.close()));
    await this.#checking?.catch(() => undefined);
  }

  async #collectBlobs(signal: AbortSignal): Promise<void> {
    const { deps, log } = this.#options;
    const found = async ({ kind, ...finding }: Omit<Finding, "repaired">, repair?: () => Promise<unknown>) => {
      if (kind === "blob-orphaned") await repair?.();
      log[kind === "blob-orphaned" ? "info" : "error"]({ kind, ...finding }, "the file store's blobs were checked");
    };
    await deps.files.blobs.collectLeftovers(defaultGraceMs);
    await checkBlobs({ deps, repair: true, graceMs: defaultGraceMs, signal, found });
  }
}
