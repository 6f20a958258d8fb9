import { statfs } from "node:fs/promises";
import type { MiddlewareHandler } from "hono";
import { AppError } from "../errors.ts";
import type { AppEnv } from "../http/index.ts";

/** How long a measurement is cached, in milliseconds. */
const keptMs = 1_000;
/** Methods of requests that may store something. DELETE is not among them: it makes room. */
const storing = new Set(["POST", "PUT", "PATCH"]);

/**
 * Free space of the disk that holds the embedded database and the files. Below `leastBytes` the API is read-only: a database that
 * finds its disk full ends its process, and the requests in progress are lost.
 */
export class DiskSpace {
  readonly #folder: string;
  readonly #leastBytes: number;
  #latest: { free: Promise<number>; at: number } | undefined;

  constructor(folder: string, leastBytes: number) {
    this.#folder = folder;
    this.#leastBytes = leastBytes;
  }

  /** Bytes that this process may still write. */
  free(): Promise<number> {
    const now = performance.now();
    if (this.#latest === undefined || now - this.#latest.at >= keptMs) {
      const free = statfs(this.#folder).then(({ bavail, bsize }) => bavail * bsize);
      this.#latest = { free, at: now };
    }
    return this.#latest.free;
  }

  async isLow(): Promise<boolean> {
    return (await this.free()) < this.#leastBytes;
  }

  /** Refuse requests that may store something while there is too little room. */
  refuseWrites(): MiddlewareHandler<AppEnv> {
    return async (c, next) => {
      if (storing.has(c.req.method) && (await this.isLow())) {
        const message = "The disk is almost full. Until there is room again, only reads and deletions are possible.";
        throw new AppError("UNAVAILABLE", message, {
          details: [{ rule: "disk-space", message }],
          headers: { "Retry-After": "30" },
        });
      }
      await next();
    };
  }
}
