import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { after, before, test } from "node:test";
import type { ServerReport } from "./testing-server.ts";

const MiB = 1024 * 1024;
/** The file limit itself in the long form. */
const size = process.env.HEARTH_LONG === "1" ? 5 * 1024 * MiB : 256 * MiB;
const allowedGrowth = 256 * MiB;

let child: ChildProcess;
let url: string;
let authorization: string;
before(async () => {
  child = fork(new URL("testing-server.ts", import.meta.url));
  const [report] = (await once(child, "message")) as [ServerReport];
  if ("url" in report) ({ url, authorization } = report);
});
after(async () => {
  if (child.exitCode !== null) return;
  child.send("close");
  await once(child, "exit");
});

const block = randomBytes(MiB);

/** Bytes that differ in every MiB, and their hash. */
function stream(): { next: () => Buffer | undefined; hash: () => string } {
  const sha = createHash("sha256");
  let at = 0;
  return {
    next() {
      if (at >= size) return undefined;
      // A copy: the one before may still be on its way.
      const chunk = Buffer.from(block);
      chunk.writeBigUInt64BE(BigInt(at), 0);
      at += chunk.length;
      sha.update(chunk);
      return chunk;
    },
    hash: () => `sha256-${sha.digest("base64")}`,
  };
}

/** How far the server's memory rose above what it was at rest. */
async function memoryGrowth(): Promise<number> {
  child.send("memory");
  const [report] = (await once(child, "message")) as [ServerReport];
  assert.ok("idle" in report);
  return report.most - report.idle;
}

const fs = (method: string, path: string, body?: string) =>
  fetch(`${url}/api/fs${path}`, { method, headers: { authorization }, ...(body === undefined ? {} : { body }) });

async function send(method: string, path: string): Promise<{ id: string; contentHash: string; sent: string }> {
  const { next, hash } = stream();
  const headers = { authorization, "content-length": String(size) };
  const sending = request(`${url}/api/fs${path}`, { method, headers });
  const answered = once(sending, "response");
  for (let chunk = next(); chunk !== undefined; chunk = next()) {
    if (!sending.write(chunk)) await once(sending, "drain");
  }
  sending.end();
  const [response] = await answered;
  const parts: Buffer[] = [];
  for await (const part of response) parts.push(part);
  const body = JSON.parse(Buffer.concat(parts).toString());
  assert.ok(response.statusCode < 300, JSON.stringify(body));
  return { ...body, sent: hash() };
}

async function receive(path: string, headers: Record<string, string> = {}): Promise<{ length: number; hash: string }> {
  const reading = request(`${url}/api/fs${path}`, { headers: { authorization, ...headers } }).end();
  const [response] = await once(reading, "response");
  const sha = createHash("sha256");
  let length = 0;
  for await (const chunk of response) {
    sha.update(chunk);
    length += chunk.length;
  }
  return { length, hash: `sha256-${sha.digest("base64")}` };
}

test(`a file of ${size / MiB} MiB passes through upload, download, range and restore in bounded memory`, async (t) => {
  const small = await fs("POST", "/files?path=/large.bin", "small");
  const { id } = await small.json();
  const rate = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
    const began = performance.now();
    const result = await work();
    t.diagnostic(`${what}: ${Math.round(size / MiB / ((performance.now() - began) / 1000))} MiB/s`);
    return result;
  };
  const written = await rate("upload", () => send("PUT", `/files/${id}`));
  assert.equal(written.contentHash, written.sent);
  const read = await rate("download", () => receive(`/files/${id}/content`));
  assert.deepEqual(read, { length: size, hash: written.sent });
  const range = await receive(`/files/${id}/content`, { range: `bytes=${size - MiB}-` });
  assert.equal(range.length, MiB);
  await fs("PUT", `/files/${id}`, "small again");
  const restored = await rate("restore", () => fs("POST", `/files/${id}/versions/2/restore`));
  assert.equal((await restored.json()).contentHash, written.sent);
  const growth = await memoryGrowth();
  t.diagnostic(`memory: ${Math.round(growth / MiB)} MiB above idle`);
  assert.ok(growth <= allowedGrowth, `memory grew by ${Math.round(growth / MiB)} MiB`);
});
