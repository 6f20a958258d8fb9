// The bucket of the files is away while clients write and read.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { ServerProcess } from "../support/api-server.ts";
import type { TestWorld } from "../support/chain.ts";
import type { TestPostgres } from "../support/postgres.ts";
import type { TestS3 } from "../support/s3.ts";
import { loadParts, onlyLong } from "./long.ts";

/** How long the bucket is away, in milliseconds. */
const awayMs = 60_000;
const clients = 6;

type Usage = { files: number; versions: number };
type ReadyReport = { checks: Record<string, { ready: boolean }> };

describe("a bucket that cannot be reached", { skip: onlyLong }, () => {
  let postgres: TestPostgres;
  let s3: TestS3;
  let world: TestWorld;
  let servers: ServerProcess[] = [];
  before(async () => {
    const { createTestWorld, startPostgres, startS3, startServers } = await loadParts();
    [postgres, s3, world] = await Promise.all([startPostgres(), startS3(), createTestWorld()]);
    servers = await startServers(world, await postgres.createDatabase(), 2, { BLOB_URL: await s3.createBucket() });
  });
  after(async () => {
    for (const server of servers) await server.stop("SIGKILL");
    await world?.close();
    await s3?.stop();
    await postgres?.stop();
  });

  it("stops no process, is named by /ready, and loses no file", {
    timeout: 240_000,
  }, async (t) => {
    const [first] = servers as [ServerProcess];
    const document = (await (await fetch(`${first.url}/.well-known/did.json`)).json()) as { id: string };
    const { generateKey, mintToken } = await loadParts();
    const token = await mintToken({ issuer: await generateKey(), audience: document.id, abilities: ["fs/*"] });
    const authorization = `Bearer ${token}`;
    const filesAreReady = async () =>
      ((await (await fetch(`${first.url}/ready`)).json()) as ReadyReport).checks.files?.ready;

    const stored = new Map<string, Buffer>();
    const answers: Record<string, number> = {};
    let isOver = false;
    /** Write a file under a new path until it is acknowledged. Large ones are stored in parts. */
    const write = async (server: ServerProcess, path: string, content: Buffer) => {
      while (true) {
        const answer = await fetch(`${server.url}/api/fs/files?path=${path}`, {
          method: "POST",
          headers: { authorization, "content-type": "application/octet-stream" },
          body: content as Uint8Array<ArrayBuffer>,
        });
        const body = await answer.text();
        answers[answer.status] = (answers[answer.status] ?? 0) + 1;
        if (answer.status === 201) return stored.set(path, content);
        assert.equal(answer.status, 503, body);
        assert.match(String(answer.headers.get("retry-after")), /^\d+$/);
        await sleep(100);
      }
    };
    const read = async (path: string) => {
      const answer = await fetch(`${first.url}/api/fs/content?path=${path}`, { headers: { authorization } });
      return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
    };
    const work = Promise.all(
      Array.from({ length: clients }, async (_, client) => {
        const server = servers[client % servers.length] as ServerProcess;
        for (let i = 0; !isOver; i++) {
          await write(server, `/chaos/${client}-${i}.bin`, randomBytes(client === 0 ? 9 << 20 : 2_000));
          await sleep(50);
        }
      }),
    );
    work.catch(() => undefined);
    const whileWorking = async (ms: number) => await Promise.race([sleep(ms), work]);

    await whileWorking(2_000);
    assert.equal(await filesAreReady(), true);
    await s3.pause();
    await whileWorking(1_500);
    assert.equal(await filesAreReady(), false, "/ready names the files");
    const [known] = stored.keys();
    const refused = await read(String(known));
    assert.equal(refused.status, 503, "a read of stored content is refused");
    await whileWorking(awayMs);
    await s3.resume();
    const [begin, before] = [Date.now(), stored.size];
    while (stored.size === before) await whileWorking(10);
    t.diagnostic(`writes again ${Date.now() - begin} ms after the bucket is back from ${awayMs} ms`);
    await sleep(1_100);
    assert.equal(await filesAreReady(), true);
    isOver = true;
    await work;
    assert.ok((answers[503] ?? 0) > 0, "writes were refused meanwhile");
    for (const [path, content] of stored) assert.deepEqual((await read(path)).bytes, content, path);
    const usage = (await (await fetch(`${first.url}/api/fs/usage`, { headers: { authorization } })).json()) as Usage;
    assert.deepEqual(
      [usage.files, usage.versions],
      [stored.size, stored.size],
      "each acknowledged write is there once",
    );
    t.diagnostic(`answers by status: ${JSON.stringify(answers)}`);
    for (const server of servers) assert.ok(server.isRunning(), "both processes are running");
  });
});
