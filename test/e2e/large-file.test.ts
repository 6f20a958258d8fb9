import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ReadableStream } from "node:stream/web";
import { after, before, test } from "node:test";

const MiB = 1 << 20;
/** The largest file that is taken by default, or what a short run has time for. */
const mebibytes = process.env.HEARTH_LONG === "1" ? 5 * 1024 : 160;
const size = mebibytes * MiB - (process.env.HEARTH_LONG === "1" ? 0 : 12_345);
const mostAboveIdle = 256 * MiB;

let server: ChildProcess;
let url: string;
let headers: Record<string, string>;
before(async () => {
  server = spawn(process.execPath, [join(import.meta.dirname, "files-server.ts")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const [line] = (await once(server.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  const { url: base, token } = JSON.parse(line.toString()) as { url: string; token: string };
  url = `${base}/api/fs`;
  headers = { authorization: token };
});
after(async () => {
  server.stdin?.end();
  await once(server, "exit");
});

const block = randomBytes(MiB);

/** The file's bytes: no two segments alike. */
function* contentFrom(start: number, end: number): Generator<Buffer> {
  for (let index = Math.floor(start / MiB); index * MiB < end; index += 1) {
    const bytes = Buffer.from(block);
    bytes.writeUInt32BE(index, 100);
    yield bytes.subarray(Math.max(0, start - index * MiB), Math.min(MiB, end - index * MiB));
  }
}

function hashOfContent(start = 0, end = size): string {
  const hash = createHash("sha256");
  for (const part of contentFrom(start, end)) hash.update(part);
  return hash.digest("base64");
}

async function download(path: string, range?: { start: number; end: number }) {
  const given = range === undefined ? headers : { ...headers, range: `bytes=${range.start}-${range.end}` };
  const answer = await fetch(`${url}${path}`, { headers: given });
  assert.equal(answer.status, range === undefined ? 200 : 206);
  const hash = createHash("sha256");
  for await (const part of (answer.body ?? []) as unknown as AsyncIterable<Uint8Array>) hash.update(part);
  return { hash: hash.digest("base64"), cid: answer.headers.get("x-vfs-cid") };
}

async function residentBytes(): Promise<number> {
  const status = await readFile(`/proc/${server.pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}

/** How far the server's memory went above where it was, in bytes. */
async function memoryDuring(work: () => Promise<void>): Promise<number> {
  const idle = await residentBytes();
  let most = idle;
  let isOver = false;
  const watching = (async () => {
    while (!isOver) {
      most = Math.max(most, await residentBytes());
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  })();
  await work().finally(() => {
    isOver = true;
  });
  await watching;
  return most - idle;
}

test(`a file of ${mebibytes} MiB goes up, down, in part and back in time in bounded memory`, {
  timeout: 3_600_000,
}, async (t) => {
  // Memory that is loaded once does not depend on the size.
  await fetch(`${url}/files?path=/warm-up`, { method: "POST", headers, body: block });
  await download("/content?path=/warm-up");
  const whole = hashOfContent();
  let id = "";
  let cid: string | null = "";
  const body = ReadableStream.from(contentFrom(0, size));
  const steps: Record<string, () => Promise<void>> = {
    upload: async () => {
      const init = { method: "POST", headers: { ...headers, "content-length": String(size) }, body, duplex: "half" };
      const answer = await fetch(`${url}/files?path=/large`, init as unknown as RequestInit);
      const made = (await answer.json()) as { id: string; size: number; contentHash: string; cid: string };
      assert.equal(answer.status, 201, JSON.stringify(made));
      assert.deepEqual([made.size, made.contentHash], [size, `sha256-${whole}`]);
      ({ id, cid } = made);
    },
    download: async () => assert.deepEqual(await download(`/files/${id}/content`), { hash: whole, cid }),
    range: async () => {
      const range = { start: Math.floor(size / 3), end: Math.floor(size / 3) + 40 * MiB };
      const { hash } = await download(`/files/${id}/content`, range);
      assert.equal(hash, hashOfContent(range.start, range.end + 1));
    },
    restore: async () => {
      const put = await fetch(`${url}/files/${id}`, { method: "PUT", headers, body: "something else" });
      assert.equal(put.status, 200);
      const answer = await fetch(`${url}/files/${id}/versions/1/restore`, { method: "POST", headers });
      const restored = (await answer.json()) as { cid: string; version: number };
      assert.deepEqual([answer.status, restored.cid, restored.version], [200, cid, 3]);
    },
    "download again": async () => assert.deepEqual(await download(`/files/${id}/content`), { hash: whole, cid }),
  };
  for (const [name, work] of Object.entries(steps)) {
    const begun = performance.now();
    const above = await memoryDuring(work);
    t.diagnostic(
      `${name}: ${Math.round(above / MiB)} MiB above idle, ${((performance.now() - begun) / 1000).toFixed(1)} s`,
    );
    assert.ok(above <= mostAboveIdle, `${name} took ${Math.round(above / MiB)} MiB above idle`);
  }
});
