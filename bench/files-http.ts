import { createCipheriv, createHash, randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import { listen, openTestHttp, type TestHttp } from "../test/support/files/http.ts";
import { type Figure, percentile, ratioFigure } from "./figures.ts";

/*
 * The file store through its sockets, client and server in one process: so the client's own work is in every figure.
 */
const callers = 32;
const smallSize = 4096;
const largeSize = 256 << 20;
const type = "application/octet-stream";

type World = { http: TestHttp; url: string; token: string };

/** @param seconds of each measurement of small requests */
export async function benchHttp(seconds = 6): Promise<Figure[]> {
  const http = await openTestHttp();
  const { url, close } = await listen(http.app);
  const world: World = { http, url, token: await http.bearer() };
  try {
    const inserts = await openInserts(world, seconds);
    // Run without a pause between the requests, because the server closes idle connections.
    const before = await inserts();
    const figures = [...(await large(world)), ...(await small(world, seconds))];
    const reference = { name: "plain inserts/s", value: (before + (await inserts())) / 2 };
    return figures.map((figure) =>
      figure.unit === "files/s" ? ratioFigure(figure.name, figure.value, figure.unit, reference, 0.5) : figure,
    );
  } finally {
    await close();
    await http.close();
  }
}

/** Measure how many rows of 4 KiB the database inserts per second. */
async function openInserts({ http }: World, seconds: number): Promise<() => Promise<number>> {
  const { db } = http.deps;
  await db.execute(sql`create table bench_rows (id bigserial primary key, body bytea not null)`);
  return () => rate(seconds, () => db.execute(sql`insert into bench_rows (body) values (${randomBytes(smallSize)})`));
}

async function small(world: World, seconds: number): Promise<Figure[]> {
  let next = 0;
  const written = await rate(seconds, () => create(world, `/small/${next++}`, randomBytes(smallSize)));
  const { id } = await create(world, "/also-read", randomBytes(smallSize));
  const times: number[] = [];
  const read = await rate(seconds, async () => {
    const begun = performance.now();
    await download(world, id);
    times.push(performance.now() - begun);
  });
  return [
    { name: `HTTP: new files of 4 KiB, ${callers} connections`, value: written, unit: "files/s" },
    { name: `HTTP: reads of 4 KiB, ${callers} connections`, value: read, unit: "reads/s" },
    { name: "HTTP: reads of 4 KiB, p99", value: percentile(times, 0.99), unit: "ms" },
  ];
}

async function large(world: World): Promise<Figure[]> {
  const bytes = randomBytes(largeSize);
  const best = { plain: 0, up: 0, down: 0 };
  const measure = async (name: keyof typeof best, work: () => unknown) => {
    const begun = performance.now();
    await work();
    best[name] = Math.max(best[name], bytes.length / 1000 / (performance.now() - begun));
  };
  for (let turn = 0; turn < 3; turn += 1) await measure("plain", () => hashAndSeal(bytes));
  for (let turn = 0; turn < 3; turn += 1) {
    let id = "";
    await measure("up", async () => {
      ({ id } = await create(world, `/large/${turn}`, bytes));
    });
    await measure("down", () => download(world, id));
  }
  const plain = { name: "SHA-256 + AES-256-GCM", value: best.plain };
  return [
    ratioFigure("HTTP: large file uploaded", best.up, "MB/s", plain),
    ratioFigure("HTTP: large file downloaded", best.down, "MB/s", plain),
  ];
}

async function create({ url, token }: World, path: string, bytes: Uint8Array<ArrayBuffer>): Promise<{ id: string }> {
  const answer = await fetch(`${url}/api/fs/files?path=${encodeURIComponent(path)}`, {
    method: "POST",
    headers: { authorization: token, "content-type": type },
    body: bytes,
  });
  const body = (await answer.json()) as { id: string };
  if (answer.status !== 201) throw new Error(`${answer.status}: ${JSON.stringify(body)}`);
  return body;
}

async function download({ url, token }: World, id: string): Promise<void> {
  const answer = await fetch(`${url}/api/fs/files/${id}/content`, { headers: { authorization: token } });
  if (answer.status !== 200 || answer.body === null) throw new Error(String(answer.status));
  for await (const _ of answer.body as unknown as AsyncIterable<Uint8Array>);
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

function hashAndSeal(bytes: Buffer): void {
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
}

if (import.meta.main) {
  const { report } = await import("./figures.ts");
  await report("files-http", await benchHttp());
}
