import { sql } from "drizzle-orm";
import type { Registry } from "prom-client";
import { type Audit, createAudit } from "../audit/index.ts";
import { type Clock, DatabaseClock, machineClock } from "../clock.ts";
import type { PlatformConfig } from "../config.ts";
import { type Database, openDatabase } from "../db/index.ts";
import { createGauges, type Gauges } from "../gauges.ts";
import { createRateLimiter, type RateLimiter } from "../http/index.ts";
import { createIdempotency, type Idempotency } from "../idempotency/index.ts";
import { createKeys, type Keys } from "../keys/index.ts";
import type { Log } from "../log.ts";
import { createOperations, type Operations } from "../operations/index.ts";
import { Workers } from "../workers/index.ts";
import { DiskSpace } from "./disk-space.ts";
import { createMetrics } from "./observe.ts";
import { createReadiness, type Readiness } from "./readiness.ts";

/** Dependencies shared by every feature, without the chain and the registry. */
export type CoreDeps<C extends PlatformConfig = PlatformConfig> = {
  config: C;
  log: Log;
  clock: Clock;
  db: Database;
  /** True when only this process can use the database: the embedded one. */
  exclusive: boolean;
  /** Copies the embedded database for a backup; undefined for PostgreSQL. */
  copyDatabase: ((folder: string) => Promise<void>) | undefined;
  keys: Keys;
  audit: Audit;
  rateLimiter: RateLimiter;
  idempotency: Idempotency;
  operations: Operations;
  readiness: Readiness;
  metrics: Registry;
  gauges: Gauges;
  disk: DiskSpace;
  workers: Workers;
};

export type CoreOptions = {
  clock?: Clock;
  /** A key that acts as admin while this process runs. */
  operatorKey?: string;
  /** Receives messages for the person who starts the server; by default they are logged. */
  say?: (line: string) => void;
};

/** How often the shared clock is read, in milliseconds. */
const clockMs = 60_000;
/** How often the last uses of API keys are stored, in milliseconds. */
const keyUseMs = 60_000;

/** Open the database and the services that need only it. */
export async function openCoreDeps<C extends PlatformConfig>(config: C, log: Log, options: CoreOptions = {}) {
  const { db, exclusive, pool, copyTo, close: closeDatabase } = await openDatabase(config, log);
  const shared = exclusive || options.clock !== undefined ? undefined : await DatabaseClock.open(db);
  const clock = options.clock ?? shared ?? machineClock;
  const keys = createKeys({
    db,
    clock,
    config,
    ...(options.operatorKey === undefined ? {} : { operatorKey: options.operatorKey }),
  });
  const metrics = createMetrics();
  const workers = new Workers({ log, clock, metrics });
  if (shared !== undefined) workers.add({ name: "clock", everyMs: clockMs, run: () => shared.adjust() }).start();
  workers.add({ name: "key-use", everyMs: keyUseMs, firstAfterMs: keyUseMs, run: () => keys.use.save() }).start();
  const idempotency = await createIdempotency({ db, exclusive, clock, workers });
  const operations = await createOperations({ db, exclusive, clock, log, workers });
  const readiness = createReadiness();
  readiness.add("database", async () => {
    await db.execute(sql`select 1`);
    return { ready: true };
  });
  const disk = new DiskSpace(config.dataDir, config.minFreeBytes);
  readiness.add("disk", async () => ({ ready: true, readOnly: await disk.isLow(), freeBytes: await disk.free() }));
  const gauges = createGauges(metrics, log);
  gauges.add({
    group: "disk",
    gauges: { disk_free_bytes: "Free bytes of the disk that holds DATA_DIR." },
    read: async () => ({ disk_free_bytes: await disk.free() }),
  });
  gauges.add({
    group: "checks",
    gauges: { check_ready: "1 for each check of GET /ready that is ready, 0 for one that is not." },
    label: "check",
    read: async () => {
      const { checks } = await readiness.report();
      return {
        check_ready: Object.fromEntries(Object.entries(checks).map(([name, { ready }]) => [name, ready ? 1 : 0])),
      };
    },
  });
  const rateLimiter = createRateLimiter(pool);
  const deps: CoreDeps<C> = {
    config,
    log,
    clock,
    db,
    exclusive,
    copyDatabase: copyTo,
    keys,
    audit: createAudit({ db, clock, log, adminApiKey: config.adminApiKey }),
    rateLimiter,
    idempotency,
    operations,
    readiness,
    metrics,
    gauges,
    disk,
    workers,
  };
  const close = async () => {
    await operations.close();
    await idempotency.close();
    await workers.close();
    await keys.use.save().catch((error) => log.warn({ err: error }, "the last uses of API keys were not stored"));
    await closeDatabase();
  };
  return { deps, close };
}
