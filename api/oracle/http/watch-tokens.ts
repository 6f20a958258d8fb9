import { AppError } from "../../platform/errors.ts";
import type { Worker, Workers } from "../../platform/workers/index.ts";
import { type Artifacts, type AuthenticateOptions, authenticate } from "../auth/authenticate.ts";
import { ExpiredTokenError } from "../auth/tokens.ts";

/** How often the tokens of open connections are checked, in milliseconds. */
const everyMs = 15_000;
/**
 * Consecutive refusals before a socket with an unverifiable token is closed, because its issuer's document may only be
 * temporarily unreachable.
 */
const mostRefusals = 3;

type Watched = {
  artifacts: Artifacts;
  /** Whether it also ends when its token expires. */
  endsWithToken: boolean;
  refusals: number;
  close: () => void;
};
export type WatchOptions = {
  auth: Pick<AuthenticateOptions, "tokens" | "loaded">;
  workers: Workers;
  checkMs?: number | undefined;
};

/**
 * Ends connections whose token was revoked, and sockets whose token has expired. The connection itself is closed, so that a client
 * reconnects by itself with the tokens that it has then.
 */
export class TokenWatch {
  readonly #options: WatchOptions;
  readonly #watched = new Set<Watched>();
  readonly #checking: Worker;

  constructor(options: WatchOptions) {
    this.#options = options;
    const { workers, checkMs = everyMs } = options;
    const run = () => this.#check();
    this.#checking = workers.add({ name: "socket-tokens", everyMs: checkMs, firstAfterMs: checkMs, run });
    this.#checking.start();
  }

  /**
   * Watch a connection that was admitted with these artifacts.
   * @returns a function that ends watching it; call it when the connection has closed
   */
  add(connection: Pick<Watched, "artifacts" | "endsWithToken" | "close">): () => void {
    const watched = { ...connection, refusals: 0 };
    this.#watched.add(watched);
    return () => void this.#watched.delete(watched);
  }

  /** Check all connections now, because a token was revoked; once more if a check is running. */
  checkNow(): void {
    this.#checking.nudge();
  }

  async close(): Promise<void> {
    this.#watched.clear();
    await this.#checking.close();
  }

  async #check(): Promise<void> {
    for (const watched of this.#watched) if (await this.#hasEnded(watched)) watched.close();
  }

  async #hasEnded(watched: Watched): Promise<boolean> {
    const { artifacts, endsWithToken } = watched;
    try {
      await authenticate(artifacts, { ...this.#options.auth, forgiveExpired: true });
      watched.refusals = 0;
      return false;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "UNAUTHENTICATED") throw error;
      if (error.details.some(({ rule }) => rule === "revoked")) return true;
      if (!endsWithToken) return false;
      watched.refusals += 1;
      return error instanceof ExpiredTokenError || watched.refusals >= mostRefusals;
    }
  }
}
