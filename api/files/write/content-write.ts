import type { FileContext } from "../deps.ts";
import { UnknownOutcomeError } from "./commit/commit-batch.ts";
import type { CommitOrder, Committed, Refused } from "./commit/commit-order.ts";
import { submitOrder } from "./commit/submit-order.ts";
import { overQuota } from "./errors.ts";
import { StoredVersion } from "./stored-version.ts";
import { WriteLimit } from "./write-limit.ts";

/** The target of a write: a new file, or a new version of a file. */
export interface WriteTarget<Result> {
  readonly fileId: string;
  /** The version number that the bytes are encrypted under. */
  readonly sealedVersion: number;
  readonly mimeType: string;
  /** Return the result if the bytes change nothing; undefined if they must be committed. */
  resultIfUnchanged(stored: StoredVersion): Promise<Result | undefined>;
  /** Create the order that makes the bytes a version; undefined when the key group's secret was replaced meanwhile. */
  order(stored: StoredVersion, tries: number): Promise<CommitOrder | undefined>;
  result(stored: StoredVersion, order: CommitOrder, committed: Committed): Result;
  /** Return if another try may succeed. @throws AppError otherwise */
  retryOrThrow(refused: Refused, tries: number): Promise<void>;
}

export type ContentInput = {
  source: AsyncIterable<Uint8Array>;
  declaredSize?: number | undefined;
  /** The limit of a resumable upload, which releases it; by default the write creates and releases a limit. */
  limit?: WriteLimit | undefined;
};

/**
 * One write of content, in three steps:
 * 1. reserve its bytes (WriteLimit);
 * 2. encrypt the stream and store it as a blob (StoredVersion);
 * 3. commit the row that names the blob, in a transaction shared with other writers (submitOrder). A failed step undoes the
 * previous ones, unless it is unknown whether the commit succeeded.
 */
export class ContentWrite<Result> {
  readonly #ctx: FileContext;
  readonly #target: WriteTarget<Result>;
  readonly #input: ContentInput;

  constructor(ctx: FileContext, target: WriteTarget<Result>, input: ContentInput) {
    this.#ctx = ctx;
    this.#target = target;
    this.#input = input;
  }

  /** @throws AppError TOO_LARGE, and what the target throws for a refused commit; UnknownOutcomeError */
  async run(): Promise<Result> {
    const { limit: uploadLimit, declaredSize } = this.#input;
    if (uploadLimit !== undefined) return (await this.#storeAndCommit(uploadLimit)).result;
    const limit = await WriteLimit.reserve(this.#ctx, declaredSize);
    try {
      const { result, committed } = await this.#storeAndCommit(limit);
      if (!committed) await limit.release();
      return result;
    } catch (error) {
      if (!(error instanceof UnknownOutcomeError)) await limit.release();
      throw error;
    }
  }

  async #storeAndCommit(limit: WriteLimit): Promise<{ result: Result; committed: boolean }> {
    const { fileId, sealedVersion, mimeType } = this.#target;
    const { source } = this.#input;
    const stored = await StoredVersion.store(this.#ctx, { fileId, sealedVersion, source, limit, mimeType });
    try {
      const unchanged = await this.#target.resultIfUnchanged(stored);
      if (unchanged === undefined) return { result: await this.#commit(stored, limit), committed: true };
      await stored.discard();
      return { result: unchanged, committed: false };
    } catch (error) {
      // A row may name the bytes. If none does, the collection of orphans removes them later.
      if (!(error instanceof UnknownOutcomeError)) await stored.discard();
      throw error;
    }
  }

  /** Commit; a refused order is made again from the present rows. Not p-retry: most attempts end by a verdict, not by an error. */
  async #commit(stored: StoredVersion, limit: WriteLimit): Promise<Result> {
    for (let tries = 1; ; tries += 1) {
      this.#ctx.signal?.throwIfAborted();
      // Check the token again, because the body may have taken hours.
      await this.#ctx.access.confirm();
      const order = await this.#target.order(stored, tries);
      if (order === undefined) {
        await this.#target.retryOrThrow("rotated", tries);
        continue;
      }
      const verdict = await submitOrder(this.#ctx.deps, order);
      if (verdict.outcome === "done") return this.#target.result(stored, order, verdict);
      if (verdict.outcome === "quota") throw overQuota(order.quota ?? 0, verdict.used, this.#ctx.quotaPercent);
      if (verdict.outcome === "unreserved") {
        await limit.reserveAgain(verdict.missing);
        continue;
      }
      await this.#target.retryOrThrow(verdict.outcome, tries);
    }
  }
}
