import { createCipheriv, createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { sql } from "drizzle-orm";
import { listen, openTestHttp, type TestHttp } from "../test/support/files/http.ts";
import { type Figure, ratioFigure } from "./figures.ts";
import type { AnswerTo, ClientOptions, Question, Rate } from "./files-http-client.ts";

/*
 * The file store through its sockets. The client runs in a separate thread, on the same processors.
 */
const callers = 32;
const smallSize = 4096;
const largeSize = 256 << 20;

type Ask = <Q extends Question>(question: Q) => Promise<AnswerTo<Q>>;

/** @param seconds of each measurement of small requests */
export async function benchHttp(seconds = 6): Promise<Figure[]> {
  const http = await openTestHttp();
  const { url, close } = await listen(http.app);
  const client = openClient({ url, token: await http.bearer(), connections: callers, seconds });
  try {
    const inserts = await openInserts(http, seconds);
    const before = await inserts();
    const figures = [...(await large(client.ask)), ...(await small(client.ask))];
    const reference = { name: "plain inserts/s", value: (before + (await inserts())) / 2 };
    return figures.map((figure) =>
      figure.unit === "files/s" ? ratioFigure(figure.name, figure.value, figure.unit, reference, 0.5) : figure,
    );
  } finally {
    await client.close();
    await close();
    await http.close();
  }
}

function openClient(options: ClientOptions): { ask: Ask; close: () => Promise<unknown> } {
  const worker = new Worker(new URL("./files-http-client.ts", import.meta.url), { workerData: options });
  return {
    async ask<Q extends Question>(question: Q) {
      worker.postMessage(question);
      const [{ value, error }] = (await once(worker, "message")) as [{ value?: AnswerTo<Q>; error?: string }];
      if (value === undefined) throw new Error(error);
      return value;
    },
    close: () => worker.terminate(),
  };
}

/** Measure how many rows of 4 KiB the database inserts per second. */
async function openInserts(http: TestHttp, seconds: number): Promise<() => Promise<number>> {
  const { db } = http.deps;
  await db.execute(sql`create table bench_rows (id bigserial primary key, body bytea not null)`);
  return () => rate(seconds, () => db.execute(sql`insert into bench_rows (body) values (${randomBytes(smallSize)})`));
}

/** Requests of 4 KiB, and the processor time of this thread for each, which varies little on a busy machine. */
async function small(ask: Ask): Promise<Figure[]> {
  const written = await timed(() => ask({ kind: "create" }));
  const read = await timed(() => ask({ kind: "read" }));
  return [
    { name: `HTTP: new files of 4 KiB, ${callers} connections`, value: written.perSecond, unit: "files/s" },
    {
      name: "HTTP: a new file of 4 KiB, processor time of the server's thread",
      value: written.processorMs,
      unit: "ms",
    },
    { name: `HTTP: reads of 4 KiB, ${callers} connections`, value: read.perSecond, unit: "reads/s" },
    { name: "HTTP: reads of 4 KiB, p99", value: read.p99Ms, unit: "ms" },
    { name: "HTTP: a read of 4 KiB, processor time of the server's thread", value: read.processorMs, unit: "ms" },
  ];
}

async function timed(ask: () => Promise<Rate>): Promise<Rate & { processorMs: number }> {
  const before = process.threadCpuUsage();
  const answer = await ask();
  const { user, system } = process.threadCpuUsage(before);
  return { ...answer, processorMs: (user + system) / 1000 / answer.count };
}

async function large(ask: Ask): Promise<Figure[]> {
  const best = { plain: 0, upload: 0, download: 0 };
  const bytes = randomBytes(largeSize);
  for (let turn = 0; turn < 3; turn += 1) best.plain = Math.max(best.plain, hashAndSeal(bytes));
  for (let turn = 0; turn < 3; turn += 1) {
    for (const kind of ["upload", "download"] as const) {
      const { megabytesPerSecond } = await ask({ kind, bytes: largeSize });
      best[kind] = Math.max(best[kind], megabytesPerSecond);
    }
  }
  const plain = { name: "SHA-256 + AES-256-GCM", value: best.plain };
  return [
    ratioFigure("HTTP: large file uploaded", best.upload, "MB/s", plain),
    ratioFigure("HTTP: large file downloaded", best.download, "MB/s", plain),
  ];
}

async function rate(seconds: number, work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  const end = begun + seconds * 1000;
  let count = 0;
  const run = async () => {
    while (performance.now() < end) {
      await work();
      count += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, run));
  return count / ((performance.now() - begun) / 1000);
}

/** @returns MB/s */
function hashAndSeal(bytes: Buffer): number {
  const begun = performance.now();
  const hash = createHash("sha256");
  const key = randomBytes(32);
  for (let at = 0; at < bytes.length; at += 1 << 20) {
    const part = bytes.subarray(at, at + (1 << 20));
    hash.update(part);
    const cipher = createCipheriv("aes-256-gcm", key, randomBytes(12));
    cipher.update(part);
    cipher.final();
  }
  hash.digest();
  return bytes.length / 1000 / (performance.now() - begun);
}

if (import.meta.main) {
  const { report } = await import("./figures.ts");
  await report("files-http", await benchHttp());
}
