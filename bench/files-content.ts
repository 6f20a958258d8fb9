import { execFileSync } from "node:child_process";
import { createCipheriv, createHash, randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { DiskBlobs } from "../api/files/blobs/disk-blobs.ts";
import { readContent } from "../api/files/content/read-content.ts";
import { type StoredContent, writeContent } from "../api/files/content/write-content.ts";
import type { VersionKey } from "../api/files/keys/key-types.ts";
import { newKey } from "../api/files/keys/key-wrap.ts";
import { type Figure, ratioFigure } from "./figures.ts";

const fileId = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const mebibyte = 1 << 20;
const smallSize = 4_096;
const smallCount = 400;

type World = { folder: string; blobs: DiskBlobs; key: VersionKey; bytes: Buffer };

/**
 * Throughput of hashing, encrypting and storing content, and of reading it. Compared with SHA-256 plus AES-GCM of the
 * same bytes in the same process, and with `cp` plus fsync. Turns alternate and the best counts, because the machine
 * may be shared.
 *
 * @param mebibytes of the large file
 * @param turns of each measurement
 */
export async function benchContent(mebibytes = 512, turns = 5): Promise<Figure[]> {
  // In the repository, because the system's temporary folder may be in memory.
  const folder = await mkdtemp(resolve("bench-content-"));
  const world = {
    folder,
    blobs: new DiskBlobs(join(folder, "blobs")),
    key: newKey<VersionKey>(),
    bytes: randomBytes(mebibytes << 20),
  };
  try {
    return [...(await large(world, turns)), ...(await small(world))];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function large(world: World, turns: number): Promise<Figure[]> {
  const { folder, blobs, key, bytes } = world;
  const best = { write: 0, read: 0, plain: 0, copy: 0 };
  const source = join(folder, "source");
  await writeFile(source, bytes, { flush: true });
  for (let turn = 0; turn < turns; turn += 1) {
    const rate = { bytes: bytes.length, best };
    await measure(rate, "plain", async () => hashAndSeal(bytes, key));
    await measure(rate, "copy", async () => {
      execFileSync("dd", [`if=${source}`, `of=${source}-copy`, "bs=1M", "conv=fsync"], { stdio: "ignore" });
    });
    let stored: StoredContent | undefined;
    await measure(rate, "write", async () => {
      stored = await writeContent({ blobs }, { fileId, version: 1, key, source: chunksOf(bytes), limit: bytes.length });
    });
    if (stored === undefined) throw new Error("Nothing was written.");
    const { blob, size } = stored;
    await measure(rate, "read", async () => {
      let read = 0;
      for await (const part of readContent({ blobs }, { fileId, version: 1, key, blob, size })) read += part.length;
      if (read !== size) throw new Error("Not everything was read.");
    });
    await blobs.delete(blob);
  }
  const plain = { name: "SHA-256 + AES-256-GCM", value: best.plain };
  const copy = { name: "copy with fsync", value: best.copy };
  return [
    aimed(ratioFigure("large content written", best.write, "MB/s", plain), 300),
    ratioFigure("large content written, compared with a copy", best.write, "MB/s", copy),
    aimed(ratioFigure("large content read", best.read, "MB/s", plain), 500),
  ];
}

async function small({ blobs, key }: World): Promise<Figure[]> {
  const bytes = randomBytes(smallSize);
  const write = () => writeContent({ blobs }, { fileId, version: 1, key, source: chunksOf(bytes), limit: smallSize });
  const { blob } = await write();
  const read = async () => {
    for await (const part of readContent({ blobs }, { fileId, version: 1, key, blob, size: smallSize })) void part;
  };
  return [
    { name: "4 KiB written, processor time", ...(await processorTime(write)) },
    { name: "4 KiB read, processor time", ...(await processorTime(read)) },
  ];
}

/** Processor time of all threads, which varies little on a busy machine. */
async function processorTime(run: () => Promise<unknown>): Promise<Pick<Figure, "value" | "unit">> {
  for (let count = 0; count < 100; count += 1) await run();
  const before = process.cpuUsage();
  for (let count = 0; count < smallCount; count += 1) await run();
  const { user, system } = process.cpuUsage(before);
  return { value: (user + system) / 1_000 / smallCount, unit: "ms" };
}

async function measure<Name extends string>(
  { bytes, best }: { bytes: number; best: Record<Name, number> },
  name: Name,
  run: () => Promise<void>,
): Promise<void> {
  const start = performance.now();
  await run();
  best[name] = Math.max(best[name], bytes / (performance.now() - start) / 1_000);
}

function aimed(figure: Figure, atLeast: number): Figure {
  return { ...figure, aim: `≥ ${atLeast} MB/s`, met: figure.value >= atLeast };
}

/** The unavoidable work: one hash and one encryption of the bytes. */
function hashAndSeal(bytes: Buffer, key: VersionKey): void {
  const hash = createHash("sha256");
  for (let at = 0; at < bytes.length; at += mebibyte) {
    const part = bytes.subarray(at, at + mebibyte);
    hash.update(part);
    const cipher = createCipheriv("aes-256-gcm", key, randomBytes(12));
    cipher.update(part);
    cipher.final();
    cipher.getAuthTag();
  }
  hash.digest();
}

async function* chunksOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const size = 64 << 10;
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

if (import.meta.main) {
  const { report } = await import("./figures.ts");
  await report("files-content", await benchContent());
}
