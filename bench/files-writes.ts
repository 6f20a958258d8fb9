import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import type { FileContext } from "../api/files/deps.ts";
import { listVersions } from "../api/files/versions/list-versions.ts";
import { createFile } from "../api/files/write/create-file.ts";
import { writeFile } from "../api/files/write/write-file.ts";
import type { Database } from "../api/platform/db/client.ts";
import { openTestFiles, streamOf, type TestFiles, testContext } from "../test/support/files/files.ts";
import { startPostgres } from "../test/support/postgres.ts";
import { type Figure, percentile, ratioFigure } from "./figures.ts";

// Contents of 4 KiB that the store accepts per second from 64 callers, compared with plain inserts of 4 KiB rows by as
// many callers. A write of the store encrypts, syncs a blob, and commits its rows and its event.
const callers = 64;
const size = 4096;
const seconds = Number(process.env.BENCH_SECONDS ?? 6);

/** Calls per second of all callers together, and processor milliseconds of this process per call, all threads. */
type Rate = { perSecond: number; processorMs: number };

async function rate(work: (caller: number, turn: number) => Promise<unknown>): Promise<Rate> {
  const used = process.cpuUsage();
  const begun = performance.now();
  const end = begun + seconds * 1000;
  const counts = await Promise.all(
    Array.from({ length: callers }, async (_, caller) => {
      let turn = 0;
      while (performance.now() < end) await work(caller, turn++);
      return turn;
    }),
  );
  const made = counts.reduce((sum, count) => sum + count, 0);
  const { user, system } = process.cpuUsage(used);
  return { perSecond: made / ((performance.now() - begun) / 1000), processorMs: (user + system) / 1000 / made };
}

async function plainInserts(db: Database): Promise<Rate> {
  await db.execute(sql`create table if not exists bench_rows (id bigserial primary key, body bytea not null)`);
  return await rate(() => db.execute(sql`insert into bench_rows (body) values (${randomBytes(size)})`));
}

const content = () => streamOf(randomBytes(size));

function creates(ctx: FileContext, run: string): Promise<Rate> {
  const mimeType = "application/octet-stream";
  return rate((caller, turn) => createFile(ctx, { path: `/${run}/${caller}/${turn}`, mimeType, content: content() }));
}

/** Each caller overwrites its own files, and starts a new file before one reaches the version cap. */
function overwrites(ctx: FileContext, run: string): Promise<Rate> {
  const current: string[] = [];
  return rate(async (caller, turn) => {
    const id = current[caller];
    if (id === undefined || turn % 40 === 0) {
      const made = { path: `/${run}/${caller}/${turn}`, mimeType: "application/octet-stream", content: content() };
      current[caller] = (await createFile(ctx, made)).id;
      return;
    }
    await writeFile(ctx, { ref: { id }, content: content() });
  });
}

async function listOfFifty(ctx: FileContext): Promise<number> {
  const made = await createFile(ctx, { path: "/fifty", mimeType: "text/plain", content: content() });
  for (let n = 2; n <= 50; n++) await writeFile(ctx, { ref: { id: made.id }, content: content() });
  const samples: number[] = [];
  for (let n = 0; n < 300; n++) {
    const begun = performance.now();
    await listVersions(ctx, { ref: { id: made.id } });
    samples.push(performance.now() - begun);
  }
  return percentile(samples, 0.99);
}

async function measure(name: string, store: TestFiles): Promise<Figure[]> {
  const ctx = testContext(store);
  await createFile(ctx, { path: "/warm", mimeType: "text/plain", content: content() });
  const before = await plainInserts(store.deps.db);
  const created = await creates(ctx, "created");
  const overwritten = await overwrites(ctx, "overwritten");
  // The machine's speed changes, so the reference is measured before and after.
  const inserts = {
    name: "plain inserts/s",
    value: (before.perSecond + (await plainInserts(store.deps.db)).perSecond) / 2,
  };
  return [
    ratioFigure(`${name}: new files of 4 KiB, ${callers} callers`, created.perSecond, "files/s", inserts, 0.5),
    { name: `${name}: a new file of 4 KiB, processor time`, value: created.processorMs, unit: "ms" },
    ratioFigure(
      `${name}: new versions of 4 KiB, ${callers} callers`,
      overwritten.perSecond,
      "versions/s",
      inserts,
      0.5,
    ),
    { name: `${name}: a new version of 4 KiB, processor time`, value: overwritten.processorMs, unit: "ms" },
    { name: `${name}: list of 50 versions, p99`, value: await listOfFifty(ctx), unit: "ms" },
  ];
}

/**
 * Small writes and version lists on the embedded database and on PostgreSQL; PostgreSQL waits for the disk, as the blob
 * store does.
 */
export async function benchWrites(): Promise<Figure[]> {
  const embedded = await openTestFiles();
  const figures = await measure("PGlite", embedded);
  await embedded.close();
  const postgres = await startPostgres({ durable: true });
  const shared = await openTestFiles({ DATABASE_URL: await postgres.createDatabase() });
  figures.push(...(await measure("PostgreSQL", shared)));
  await shared.close();
  await postgres.stop();
  return figures;
}
