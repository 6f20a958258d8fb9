import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { countTraces } from "../../../test/support/files/files.ts";
import { type Listening, listen, openTestHttp, type TestHttp } from "../../../test/support/files/http.ts";

const MiB = 1024 * 1024;
let http: TestHttp;
let server: Listening;
let authorization: string;
before(async () => {
  http = await openTestHttp({ FILE_LIMIT_BYTES: String(64 * MiB) });
  server = await listen(http.app);
  authorization = await http.bearer();
  await http.fs("POST", "/files?path=/warm-up", { body: "keys and rows of the namespace" });
});
after(async () => {
  await server.close();
  await http.close();
});

const at = (path: string) => `${server.url}/api/fs${path}`;

/** Begin a request whose body the test writes itself. */
function open(method: string, path: string, headers: Record<string, string> = {}) {
  const sending = request(at(path), { method, headers: { authorization, ...headers } });
  const answer = new Promise<{ status: number; body: string }>((resolve, reject) => {
    sending.on("error", reject);
    sending.on("response", async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() });
    });
  });
  answer.catch(() => {});
  return { sending, answer };
}

/** Wait until a condition holds. */
async function until(condition: () => Promise<boolean>, about: string): Promise<void> {
  for (let tries = 0; tries < 100; tries++) {
    if (await condition()) return;
    await sleep(50);
  }
  assert.fail(`never: ${about}`);
}

async function drafts(): Promise<number> {
  return await http.deps.files.blobs.collectLeftovers(0);
}

test("an upload that breaks off leaves no trace, wherever it does", async () => {
  const before = await countTraces(http.deps);
  const { sending: none } = open("POST", "/files?path=/abort-0", { "content-length": String(MiB) });
  none.flushHeaders();
  await sleep(200);
  none.destroy();
  for (const [index, size] of [1000, MiB, 5 * MiB + 1].entries()) {
    const { sending } = open("POST", `/files?path=/abort-${index + 1}`, { "content-length": String(40 * MiB) });
    sending.write(randomBytes(size));
    await sleep(300);
    sending.destroy();
  }
  const { sending: chunked } = open("POST", "/files?path=/abort-chunked");
  chunked.write(randomBytes(2 * MiB));
  await sleep(200);
  chunked.destroy();
  // What is under way is noticed, and then cleared away.
  const left = async () => !isDeepStrictEqual(await countTraces(http.deps), before);
  for (const end = Date.now() + 60_000; (await left()) && Date.now() < end; ) await sleep(100);
  assert.deepEqual(await countTraces(http.deps), before);
  assert.equal(await drafts(), 0);
  assert.equal((await http.fs("GET", "/content?path=/abort-2")).status, 404);
});

test("refuses what is too large: by its length before a byte, without one while it comes", async () => {
  const before = await countTraces(http.deps);
  const told = open("POST", "/files?path=/large-1", { "content-length": String(65 * MiB) });
  told.sending.flushHeaders();
  const early = await told.answer;
  assert.equal(early.status, 413);
  assert.equal(JSON.parse(early.body).code, "TOO_LARGE");
  told.sending.destroy();
  const { sending, answer } = open("POST", "/files?path=/large-2");
  const chunk = randomBytes(MiB);
  let sent = 0;
  const status = answer.then(({ status }) => status);
  const ended = status.then(() => true);
  while (sent < 80 && !(await Promise.race([ended, Promise.resolve(false)]))) {
    if (!sending.write(chunk)) await Promise.race([once(sending, "drain"), ended]);
    sent++;
  }
  assert.equal(await status, 413);
  sending.destroy();
  assert.deepEqual(await countTraces(http.deps), before);
});

test("accepts Expect: 100-continue, and bodies without a length", async () => {
  const bytes = randomBytes(3 * MiB + 3);
  const expecting = open("POST", "/files?path=/continue", {
    expect: "100-continue",
    "content-length": String(bytes.length),
  });
  expecting.sending.flushHeaders();
  await once(expecting.sending, "continue");
  expecting.sending.end(bytes);
  assert.equal((await expecting.answer).status, 201);
  const { sending, answer } = open("POST", "/files?path=/chunked");
  sending.end(bytes);
  const file = JSON.parse((await answer).body);
  assert.equal(file.contentHash, `sha256-${createHash("sha256").update(bytes).digest("base64")}`);
});

test("slow writers and readers do not hold others up", async () => {
  await http.fs("POST", "/files?path=/to-read", { body: randomBytes(48 * MiB) });
  const slow = Array.from({ length: 20 }, (_, index) => {
    const one = open("POST", `/files?path=/slow-${index}`, { "content-length": String(MiB) });
    one.sending.write(randomBytes(100));
    return one;
  });
  const readers = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const reading = request(at("/content?path=/to-read"), { headers: { authorization } }).end();
      const [response] = await once(reading, "response");
      response.pause();
      return reading;
    }),
  );
  const began = performance.now();
  for (let i = 0; i < 5; i++) {
    const path = `/quick-${i}`;
    assert.equal((await fetch(at(`/files?path=${path}`), init("POST", "quick"))).status, 201);
    assert.equal(await (await fetch(at(`/content?path=${path}`), init("GET"))).text(), "quick");
  }
  assert.ok(performance.now() - began < 10_000, "the quick ones took too long");
  for (const { sending } of slow) sending.end(randomBytes(MiB - 100));
  for (const { answer } of slow) assert.equal((await answer).status, 201);
  for (const reading of readers) reading.destroy();
});

const init = (method: string, body?: string): RequestInit => ({
  method,
  headers: { authorization },
  ...(body === undefined ? {} : { body }),
});

test("a damaged segment destroys the connection instead of ending the answer", async () => {
  const made = await http.fs("POST", "/files?path=/damaged", { body: randomBytes(8 * MiB) });
  const { id } = await made.json();
  await damage(id, 6 * MiB);
  const reading = request(at(`/files/${id}/content`), { headers: { authorization } }).end();
  const [response] = await once(reading, "response");
  assert.equal(response.statusCode, 200);
  let received = 0;
  await assert.rejects(async () => {
    for await (const chunk of response) received += (chunk as Buffer).length;
  });
  assert.ok(received >= MiB && received < 8 * MiB, `${received} bytes came`);
  await damage(id, 100);
  const first = await fetch(at(`/files/${id}/content`), init("GET"));
  assert.equal(first.status, 500);
  const shown = await first.text();
  assert.equal(JSON.parse(shown).code, "INTERNAL");
  assert.equal(shown.includes("egment"), false);
});

/** Change one byte of a file's sealed bytes. */
async function damage(id: string, position: number): Promise<void> {
  const { blobs } = http.deps.files;
  const { rows } = await http.deps.db.execute<{ blob: string }>(`select blob from files where id = '${id}'`);
  const key = rows[0]?.blob ?? "";
  const parts: Uint8Array[] = [];
  for await (const part of blobs.get(key)) parts.push(part);
  const bytes = Buffer.concat(parts);
  bytes[position] = (bytes[position] ?? 0) ^ 1;
  await blobs.delete(key);
  await blobs.put(
    key,
    (async function* () {
      yield bytes;
    })(),
  );
}

test("a reader that leaves lets go of the file", async () => {
  await http.fs("POST", "/files?path=/left", { body: randomBytes(48 * MiB) });
  const { getActiveResourcesInfo } = process;
  const handles = () => getActiveResourcesInfo().filter((name) => name.startsWith("FSReq")).length;
  for (let i = 0; i < 10; i++) {
    const reading = request(at("/content?path=/left"), { headers: { authorization } }).end();
    const [response] = await once(reading, "response");
    await once(response, "data");
    reading.destroy();
  }
  await until(async () => handles() === 0, "no reads under way");
  const purged = await http.fs("GET", "/content?path=/left");
  assert.equal((await purged.arrayBuffer()).byteLength, 48 * MiB);
});

test("a token of 64 KiB fits into the header", async () => {
  const answer = await fetch(at("/usage"), { headers: { authorization: `Bearer ${"A".repeat(88_000)}` } });
  assert.equal(answer.status, 401);
});
