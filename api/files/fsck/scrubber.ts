import { eq, sql } from "drizzle-orm";
import type { Clock } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import type { Worker, Workers } from "../../platform/workers/index.ts";
import type { Check, Finding, FsckDeps } from "./report.ts";
import { Pace, scrub } from "./scrub.ts";
import { fileScrubs } from "./tables.ts";

export type ScrubberOptions = {
  deps: FsckDeps;
  clock: Clock;
  log: Log;
  workers: Workers;
  /** Most bytes per second; 0 turns it off. */
  bytesPerSecond: number;
};

/** Pause between two passes, in milliseconds. */
const restMs = 7 * 86_400_000;
const firstDelayMs = 60_000;
const retryMs = 3_600_000;

/** Reads all content slowly and repeatedly, to detect a failing medium. After a restart it resumes where it stopped. */
export class Scrubber {
  readonly #options: ScrubberOptions;
  readonly #scrubbing: Worker;

  constructor(options: ScrubberOptions) {
    this.#options = options;
    this.#scrubbing = options.workers.add({
      name: "content-scrub",
      everyMs: restMs,
      firstAfterMs: firstDelayMs,
      retryMs,
      run: async ({ signal, pauseFor }) => pauseFor(await this.#finishPass(signal)),
    });
  }

  start(): void {
    if (this.#options.bytesPerSecond > 0) this.#scrubbing.start();
  }

  async close(): Promise<void> {
    await this.#scrubbing.close();
  }

  /** Continue to the end of the pass. */
  async pass(): Promise<void> {
    await this.#scrubbing.runNow();
  }

  /** @returns how long to wait before the next pass, in milliseconds */
  async #finishPass(signal: AbortSignal): Promise<number> {
    const { deps, clock, log, bytesPerSecond } = this.#options;
    const { db } = deps;
    const now = clock.now();
    const fresh = { id: 1, position: "", files: 0, bytes: 0, damaged: 0, beganAt: now };
    await db.insert(fileScrubs).values(fresh).onConflictDoNothing();
    const [row] = await db.select().from(fileScrubs);
    if (row === undefined) throw new Error("The scrub's row is missing.");
    const restsUntil = row.position === "" && row.finishedAt !== null ? row.finishedAt.getTime() + restMs : 0;
    if (restsUntil > now.getTime()) return restsUntil - now.getTime();
    let damaged = 0;
    const found = async (finding: Omit<Finding, "repaired">) => {
      damaged += 1;
      log.error({ finding }, "stored content is damaged");
    };
    const check: Check = { deps, repair: false, graceMs: 0, signal, found };
    for await (const { fileId, bytes } of scrub(check, new Pace(bytesPerSecond), row.position)) {
      await this.#note({
        position: fileId,
        files: sql`${fileScrubs.files} + 1`,
        bytes: sql`${fileScrubs.bytes} + ${bytes}`,
        damaged: sql`${fileScrubs.damaged} + ${damaged}`,
      });
      damaged = 0;
    }
    const [done] = await db.select().from(fileScrubs);
    log.info({ files: done?.files, bytes: done?.bytes, damaged: done?.damaged }, "all stored content was read");
    await this.#note({ ...fresh, finishedAt: clock.now(), beganAt: clock.now() });
    return restMs;
  }

  async #note(change: Parameters<ReturnType<FsckDeps["db"]["update"]>["set"]>[0]): Promise<void> {
    await this.#options.deps.db
      .update(fileScrubs)
      .set(change as never)
      .where(eq(fileScrubs.id, 1));
  }
}
