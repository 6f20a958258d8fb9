import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { Upload as TusUpload } from "tus-js-client";
import { type Listening, listen, openTestHttp, type TestHttp } from "../../../../test/support/files/http.ts";
import { generateKey } from "../../../platform/ucan/mint.ts";
import { createUploadStore } from "../../uploads/store.ts";
import { sweepUploads } from "../../uploads/sweeper.ts";
import { uploadLifeMs } from "../../uploads/uploads.ts";

let http: TestHttp;
let server: Listening;
let skipped = 0;
before(async () => {
  http = await openTestHttp({}, { clock: { now: () => new Date(Date.now() + skipped) } });
  server = await listen(http.app);
});
after(async () => {
  await server.close();
  await http.close();
});

const MiB = 1024 * 1024;
const encode = (text: string) => Buffer.from(text).toString("base64");

/** Upload with the official client, and the headers of its last answer. */
async function upload(bytes: Buffer, path: string, options: { chunkSize?: number; authorization?: string } = {}) {
  const authorization = options.authorization ?? (await http.bearer());
  return await new Promise<Map<string, string | undefined>>((resolve, reject) => {
    const answers = new Map<string, string | undefined>();
    new TusUpload(bytes, {
      endpoint: `${server.url}/api/fs/upload`,
      headers: { Authorization: authorization },
      metadata: { path, filetype: "application/x-test", filename: "ignored" },
      retryDelays: [],
      onAfterResponse: (_request, response) => {
        for (const name of ["x-vfs-file-id", "x-vfs-cid", "x-vfs-content-hash", "location"]) {
          answers.set(name, response.getHeader(name));
        }
      },
      onSuccess: () => resolve(answers),
      onError: reject,
      ...(options.chunkSize === undefined ? {} : { chunkSize: options.chunkSize }),
    }).start();
  });
}

async function begin(path: string, length: number, authorization?: string): Promise<Response> {
  return await http.fs("POST", "/upload", {
    ...(authorization === undefined ? {} : { as: authorization }),
    headers: {
      "tus-resumable": "1.0.0",
      "upload-length": String(length),
      "upload-metadata": `path ${encode(path)},filetype ${encode("text/plain")}`,
    },
  });
}

const patch = (location: string, offset: number, body: BodyInit, as?: string) =>
  http.fs("PATCH", location.replace("/api/fs", ""), {
    ...(as === undefined ? {} : { as }),
    body,
    duplex: "half",
    headers: {
      "tus-resumable": "1.0.0",
      "upload-offset": String(offset),
      "content-type": "application/offset+octet-stream",
    },
  } as RequestInit);
const head = (location: string, as?: string) =>
  http.fs("HEAD", location.replace("/api/fs", ""), {
    ...(as === undefined ? {} : { as }),
    headers: { "tus-resumable": "1.0.0" },
  });

async function leftovers(): Promise<string[]> {
  const keys: string[] = [];
  for (const prefix of ["uploads/", "uploadkeys/"]) {
    for await (const { key } of http.deps.files.blobs.list(prefix)) keys.push(key);
  }
  return keys;
}

test("accepts a file of many parts from the official client and returns its id, CID and hash with the last one", async () => {
  const bytes = randomBytes(40 * MiB + 123);
  const answers = await upload(bytes, "/big.bin");
  const id = answers.get("x-vfs-file-id");
  const content = await http.fs("GET", `/files/${id}/content`);
  assert.equal(Buffer.compare(Buffer.from(await content.arrayBuffer()), bytes), 0);
  assert.equal(content.headers.get("x-vfs-cid"), answers.get("x-vfs-cid"));
  assert.equal(content.headers.get("x-vfs-content-hash"), answers.get("x-vfs-content-hash"));
  assert.equal(content.headers.get("content-type"), "application/x-test");
  assert.deepEqual(await leftovers(), []);
});

test("accepts chunks in separate requests, and an empty file", async () => {
  const bytes = randomBytes(3 * MiB + 7);
  const answers = await upload(bytes, "/chunks.bin", { chunkSize: MiB });
  const content = await http.fs("GET", `/files/${answers.get("x-vfs-file-id")}/content`);
  assert.equal(Buffer.compare(Buffer.from(await content.arrayBuffer()), bytes), 0);
  const empty = await upload(Buffer.alloc(0), "/empty.bin");
  assert.equal((await (await http.fs("GET", `/files/${empty.get("x-vfs-file-id")}`)).json()).size, 0);
});

test("keeps what arrived before a break, and continues from there", async () => {
  const location = (await begin("/broken.txt", 11)).headers.get("location") ?? "";
  const broken = new ReadableStream({
    start: (controller) => controller.enqueue(Buffer.from("hello ")),
    pull: async () => {
      await sleep(200);
      throw new Error("gone");
    },
  });
  assert.equal((await patch(location, 0, broken)).status, 400);
  assert.equal((await head(location)).headers.get("upload-offset"), "6");
  assert.equal((await patch(location, 0, "hello world")).status, 409);
  const done = await patch(location, 6, "world");
  assert.equal(done.status, 204);
  assert.equal(done.headers.get("x-vfs-cid"), "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e");
  const after = await head(location);
  assert.equal(after.headers.get("upload-offset"), "11");
  assert.equal(after.headers.get("x-vfs-file-id"), done.headers.get("x-vfs-file-id"));
});

test("answers 415 to a part of another media type, and keeps nothing of it", async () => {
  const location = (await begin("/typed.txt", 5)).headers.get("location") ?? "";
  for (const type of ["text/plain", "application/octet-stream", undefined]) {
    const headers = { authorization: await http.bearer(), "tus-resumable": "1.0.0", "upload-offset": "0" };
    const typed = type === undefined ? headers : { ...headers, "content-type": type };
    const body = type === undefined ? new Uint8Array([1]) : "hello";
    const answer = await http.app.request(location, { method: "PATCH", headers: typed, body });
    assert.deepEqual([answer.status, answer.headers.get("tus-resumable")], [415, "1.0.0"], type);
    assert.equal((await answer.json()).code, "UNSUPPORTED_MEDIA_TYPE");
  }
  assert.equal((await head(location)).headers.get("upload-offset"), "0");
  assert.equal((await patch(location, 0, "hello")).status, 204);
});

test("keeps what a client sent before its connection broke, and lets it continue immediately", async () => {
  const store = createUploadStore(http.deps.db);
  const bytes = randomBytes(20 * MiB);
  const location = (await begin("/cable.bin", bytes.length)).headers.get("location") ?? "";
  const headers = {
    authorization: await http.bearer(),
    "tus-resumable": "1.0.0",
    "upload-offset": "0",
    "content-type": "application/offset+octet-stream",
    "content-length": String(bytes.length),
  };
  const sending = request(`${server.url}${location}`, { method: "PATCH", headers });
  sending.on("error", () => {});
  sending.write(bytes.subarray(0, 18 * MiB));
  const arrived = async () => (await store.parts(location.split("/").at(-1) ?? "")).length > 0;
  for (const end = Date.now() + 60_000; !(await arrived()) && Date.now() < end; ) await sleep(50);
  sending.destroy();
  const kept = Number((await head(location)).headers.get("upload-offset"));
  assert.ok(kept >= 16 * MiB && kept <= 18 * MiB, `${kept} bytes were kept`);
  const done = await patch(location, kept, new Uint8Array(bytes.subarray(kept)));
  assert.equal(done.status, 204);
  const hash = `sha256-${createHash("sha256").update(bytes).digest("base64")}`;
  assert.equal(done.headers.get("x-vfs-content-hash"), hash);
});

test("keeps partial uploads sealed, and nothing of them once they end", async () => {
  const location = (await begin("/secret.txt", 1000)).headers.get("location") ?? "";
  await patch(location, 0, "the plaintext of a partial upload");
  const [part] = (await leftovers()).filter((key) => key.startsWith("uploads/"));
  const stored = [];
  for await (const chunk of http.deps.files.blobs.get(part ?? "")) stored.push(chunk);
  assert.equal(Buffer.concat(stored).includes("plaintext of a partial"), false);
  const ended = await http.fs("DELETE", location.replace("/api/fs", ""), { headers: { "tus-resumable": "1.0.0" } });
  assert.equal(ended.status, 204);
  assert.deepEqual(await leftovers(), []);
  assert.equal((await head(location)).status, 404);
});

test("answers another's upload like an unknown one, to the byte", async () => {
  const location = (await begin("/mine.txt", 5)).headers.get("location") ?? "";
  const stranger = await generateKey();
  const as = await http.bearer({ issuer: stranger });
  const ask = (where: string) =>
    http.fs("DELETE", where, { as, headers: { "tus-resumable": "1.0.0", "x-request-id": "same" } });
  const [foreign, unknown] = await Promise.all([ask(location.replace("/api/fs", "")), ask("/upload/01UNKNOWN")]);
  assert.equal(foreign.status, 404);
  assert.equal(await foreign.text(), await unknown.text());
  assert.equal((await patch(location, 0, "12345", as)).status, 404);
  assert.equal((await patch(location, 0, "12345")).status, 204);
});

test("lets no token continue an upload that it could not have begun, though its owner did", async () => {
  const location = (await begin("/whole/mine.txt", 5)).headers.get("location") ?? "";
  const narrow = {
    "another folder": await http.bearer({ path: "/only", abilities: ["fs/write"] }),
    "reading alone": await http.bearer({ path: "/whole", abilities: ["fs/read"] }),
  };
  for (const [name, as] of Object.entries(narrow)) {
    assert.ok([403, 404].includes((await patch(location, 0, "12345", as)).status), `${name}: PATCH`);
    const ended = await http.fs("DELETE", location.replace("/api/fs", ""), {
      as,
      headers: { "tus-resumable": "1.0.0" },
    });
    assert.ok([403, 404].includes(ended.status), `${name}: DELETE`);
  }
  const asked = await head(location, narrow["another folder"]);
  assert.ok([403, 404].includes(asked.status), "HEAD");
  assert.equal(asked.headers.get("upload-offset"), null);
  assert.equal((await patch(location, 0, "12345")).status, 204);
});

test("refuses at creation a path that is taken, one out of scope, no path, and too much", async () => {
  await http.fs("POST", "/files?path=/taken.txt", { body: "x" });
  assert.equal((await begin("/taken.txt", 5)).status, 409);
  const scoped = await http.bearer({ path: "/only", abilities: ["fs/write"] });
  assert.equal((await begin("/other.txt", 5, scoped)).status, 404);
  assert.equal((await begin("/only/a.txt", 5, await http.bearer({ abilities: ["fs/read"] }))).status, 403);
  assert.equal((await begin("/huge.bin", 6 * 1024 ** 3)).status, 413);
  const nameless = await http.fs("POST", "/upload", { headers: { "tus-resumable": "1.0.0", "upload-length": "5" } });
  const body = await nameless.json();
  assert.deepEqual([nameless.status, body.details[0].path], [400, "path"]);
});

test("ends an upload whose path was taken meanwhile", async () => {
  const location = (await begin("/race.txt", 5)).headers.get("location") ?? "";
  await http.fs("POST", "/files?path=/race.txt", { body: "first" });
  assert.equal((await patch(location, 0, "later")).status, 409);
  assert.equal((await head(location)).status, 404);
  assert.equal(await (await http.fs("GET", "/content?path=/race.txt")).text(), "first");
});

test("recognises its file when it was stopped after writing the file and before recording it", async () => {
  const location = (await begin("/noted.txt", 5)).headers.get("location") ?? "";
  const made = await (await http.fs("POST", "/files?path=/noted.txt", { body: "bytes" })).json();
  const done = await patch(location, 0, "bytes");
  assert.equal(done.status, 204);
  assert.equal(done.headers.get("x-vfs-file-id"), made.id);
  assert.equal((await head(location)).headers.get("upload-offset"), "5");
});

test("expires uploads, and destroys their keys and parts", async () => {
  const location = (await begin("/late.txt", 100)).headers.get("location") ?? "";
  await patch(location, 0, "some");
  assert.ok((await leftovers()).length > 0);
  skipped = uploadLifeMs + 1000;
  const as = await http.bearer({ expiration: Math.floor((Date.now() + skipped) / 1000) + 600 });
  assert.equal((await head(location, as)).status, 404);
  await sweepUploads(http.deps);
  assert.deepEqual(await leftovers(), []);
  skipped = 0;
});

test("tells its extensions and largest size before CORS", async () => {
  const answer = await http.app.request("/api/fs/upload", { method: "OPTIONS" });
  assert.equal(answer.headers.get("tus-version"), "1.0.0");
  assert.equal(answer.headers.get("tus-max-size"), String(5 * 1024 ** 3));
  assert.match(answer.headers.get("tus-extension") ?? "", /termination/);
});
