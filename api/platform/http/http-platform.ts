import type { Audit } from "../audit/index.ts";
import type { Clock } from "../clock.ts";
import type { PlatformConfig } from "../config.ts";
import type { Idempotency } from "../idempotency/index.ts";
import type { Log } from "../log.ts";
import type { RateLimiter } from "./rate-limit.ts";

/** Dependencies of the middleware of every route. Features have separate dependencies. */
export type HttpPlatform = {
  audit: Audit;
  clock: Clock;
  config: PlatformConfig;
  idempotency: Idempotency;
  log: Log;
  rateLimiter: RateLimiter;
};
