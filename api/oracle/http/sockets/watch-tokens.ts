import type { Socket } from "socket.io";
import { AppError } from "../../../platform/errors.ts";
import type { Worker, Workers } from "../../../platform/workers/index.ts";
import { type Artifacts, type AuthenticateOptions, authenticate } from "../../auth/authenticate.ts";
import { ExpiredTokenError } from "../../auth/tokens.ts";

/** How often the tokens of open sockets are checked, in milliseconds. */
const everyMs = 15_000;
/**
 * Consecutive refusals before a socket with an unverifiable token is closed, because its issuer's document may only be
 * temporarily unreachable.
 */
const mostRefusals = 3;

type Watched = { artifacts: Artifacts; refusals: number };
export type WatchOptions = {
  auth: Pick<AuthenticateOptions, "tokens" | "loaded">;
  workers: Workers;
  checkMs?: number | undefined;
};

/**
 * Ends sockets whose handshake would be refused now: their token has expired or was revoked. Their connection is closed, so that a
 * client reconnects by itself with the tokens that it has then.
 */
export class TokenWatch {
  readonly #options: WatchOptions;
  readonly #watched = new Map<Socket, Watched>();
  readonly #checking: Worker;

  constructor(options: WatchOptions) {
    this.#options = options;
    const { workers, checkMs = everyMs } = options;
    const run = () => this.#check();
    this.#checking = workers.add({ name: "socket-tokens", everyMs: checkMs, firstAfterMs: checkMs, run });
    this.#checking.start();
  }

  /** Watch a socket that was admitted with these artifacts, until it disconnects. */
  add(socket: Socket, artifacts: Artifacts): void {
    this.#watched.set(socket, { artifacts, refusals: 0 });
    socket.once("disconnect", () => this.#watched.delete(socket));
  }

  async close(): Promise<void> {
    this.#watched.clear();
    await this.#checking.close();
  }

  async #check(): Promise<void> {
    for (const [socket, watched] of this.#watched) if (await this.#hasEnded(watched)) socket.conn.close();
  }

  async #hasEnded(watched: Watched): Promise<boolean> {
    try {
      await authenticate(watched.artifacts, { ...this.#options.auth, forgiveExpired: true });
      watched.refusals = 0;
      return false;
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "UNAUTHENTICATED") throw error;
      watched.refusals += 1;
      const isFinal = error instanceof ExpiredTokenError || error.details.some(({ rule }) => rule === "revoked");
      return isFinal || watched.refusals >= mostRefusals;
    }
  }
}
