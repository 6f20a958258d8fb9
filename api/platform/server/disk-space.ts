import { statfs } from "node:fs/promises";
import type { MiddlewareHandler } from "hono";
import { cachedFor } from "../cached-for.ts";
import { brokenRuleError, defineRules } from "../errors.ts";
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
  /** Bytes that this process may still write. */
  readonly free: () => Promise<number>;
  readonly #leastBytes: number;

  constructor(folder: string, leastBytes: number) {
    this.#leastBytes = leastBytes;
    this.free = cachedFor(keptMs, async () => {
      const { bavail, bsize } = await statfs(folder);
      return bavail * bsize;
    });
  }

  async isLow(): Promise<boolean> {
    return (await this.free()) < this.#leastBytes;
  }

  /** Refuse requests that may store something while there is too little room. */
  refuseWrites(): MiddlewareHandler<AppEnv> {
    return async (c, next) => {
      if (storing.has(c.req.method) && (await this.isLow())) {
        throw brokenRuleError("UNAVAILABLE", broken("disk-almost-full", undefined), {
          headers: { "Retry-After": "30" },
        });
      }
      await next();
    };
  }
}

const broken = defineRules({
  "disk-almost-full": [
    "disk-space",
    "The disk is almost full. Until there is room again, only reads and deletions are possible.",
  ],
});
