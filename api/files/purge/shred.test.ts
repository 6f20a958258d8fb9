import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { eq, sql } from "drizzle-orm";
import { base58btc } from "multiformats/bases/base58";
import { placeDatabase } from "../../../test/support/database.ts";
import { findTraces, readFolders, unwrapAll, wrappedCandidates } from "../../../test/support/leftovers.ts";
import { startPostgres } from "../../../test/support/postgres.ts";
import type { Deps } from "../../compose.ts";
import { readConfig } from "../../config.ts";
import { createDidResolver, didKeyMethod } from "../../platform/dids/did-resolution.ts";
import { createLog } from "../../platform/log.ts";
import { createBaseApp } from "../../platform/server/base-app.ts";
import { openCoreDeps } from "../../platform/server/core.ts";
import { mintToken, openAuthority, parseCid } from "../../platform/ucan/index.ts";
import { generateKey } from "../../platform/ucan/mint.ts";
import type { FileDeps } from "../deps.ts";
import { mountFiles, mountUploadOptions } from "../http/mount.ts";
import { openFiles } from "../open-files.ts";
import { files, fileVersions } from "../records/tables.ts";

const text = (name: string) =>
  `${name}-${randomBytes(12).toString("hex")} is a word that nobody else writes\n`.repeat(40);

/** The file store's routes over a folder, which takes the log too, in all its length. */
async function openStore(dataDir: string, env: Record<string, string>) {
  const config = readConfig({ DATA_DIR: dataDir, LOG_LEVEL: "trace", AUDIT_READ_SAMPLE: "1", ...env });
  await mkdir(join(dataDir, "logs"), { recursive: true });
  const logFile = createWriteStream(join(dataDir, "logs", "api.log"));
  const { deps: core, close: closeCore } = await openCoreDeps(config, createLog(config, logFile));
  const { files: parts, close: closeFiles } = await openFiles(core);
  const resolver = createDidResolver([didKeyMethod], Date.now);
  const authority = openAuthority({ ...core, identity: parts.identity, resolver });
  const deps = { ...core, files: { ...parts, authority } } as unknown as Deps;
  const app = createBaseApp(deps, { beforeCors: (base) => mountUploadOptions(base, deps.config.files) });
  mountFiles(app, deps);
  const token = await mintToken({ issuer: await generateKey(), audience: parts.identity.did, abilities: ["fs/*"] });
  const call = async (method: string, path: string, body?: string, headers: Record<string, string> = {}) => {
    const init = { method, headers: { authorization: `Bearer ${token}`, ...headers } };
    const answer = await app.request(path, body === undefined ? init : { ...init, body });
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${await answer.clone().text()}`);
    return answer;
  };
  const close = async () => {
    await closeFiles();
    // Data that is only in memory does not count as a leftover: the database first writes everything to disk.
    await checkpoint();
    await closeCore();
    logFile.end();
    await once(logFile, "finish");
  };
  const checkpoint = () => core.db.execute(sql`checkpoint`);
  return { deps: deps as unknown as FileDeps, call, checkpoint, close };
}

type Store = Awaited<ReturnType<typeof openStore>>;

/** A file with a history of every kind, found, searched and fetched in every way. Its raw keys and what would confirm a guess. */
async function liveThrough({ deps, call }: Store, path: string) {
  const [first, second, third] = [text("first"), text("second"), text("third")];
  const headers = { "content-type": "text/plain" };
  const made = await call("POST", `/api/fs/files?path=${encodeURIComponent(path)}&public=true`, first, headers);
  const { id, cid } = (await made.json()) as { id: string; cid: string };
  await call("PUT", `/api/fs/files/${id}`, second, { ...headers, "if-match": `"${cid}"` });
  const word = second.split(" ")[0] ?? "";
  await call("PATCH", `/api/fs/files/${id}/edit`, JSON.stringify({ oldString: second, newString: third }));
  await call("POST", `/api/fs/files/${id}/versions/1/restore`);
  for (const url of ["content", "versions", "versions/2/content", "events"])
    await call("GET", `/api/fs/files/${id}/${url}`);
  await call("GET", `/api/fs/cid/${cid}`);
  await call("GET", `/public/id/${id}`);
  await call("GET", `/api/fs/search?q=${word}`);
  await call("GET", `/api/fs/grep?q=${word}`);
  await deps.files.audit.flush();
  return { id, keys: await keysOf(deps, id), ...confirmationsOf([first, second, third]) };
}

async function keysOf({ db, files: { keys } }: FileDeps, id: string) {
  const { rows } = await db.execute<{ secret_id: string }>(
    sql`select secret_id from file_key_groups join files on files.key_group = file_key_groups.id where files.id = ${id}`,
  );
  const [head] = await db.select().from(files).where(eq(files.id, id));
  assert.ok(head && rows[0]);
  const history = await db.select().from(fileVersions).where(eq(fileVersions.fileId, id));
  const fileKey = await keys.openFileKey({ secretId: rows[0].secret_id }, head.fileKey);
  const versions = [head, ...history].map(({ versionKey }) => keys.openVersionKey(fileKey, versionKey).export());
  return [fileKey.export(), ...versions];
}

/** Everything that shows or confirms a plaintext. */
function confirmationsOf(contents: readonly string[]) {
  const needles: Record<string, Uint8Array> = {};
  for (const [i, content] of contents.entries()) {
    const digest = createHash("sha256").update(content).digest();
    const cid = parseCid(`f01551220${digest.toString("hex")}`).cid;
    const forms: Record<string, string | Uint8Array> = {
      word: content.split(" ")[0] ?? "",
      hash: digest,
      "hash as hex": digest.toString("hex"),
      "hash as base64": digest.toString("base64").slice(0, 42),
      "hash as base64url": digest.toString("base64url").slice(0, 42),
      "CID in base32": cid.toString(),
      "CID in base58": cid.toString(base58btc),
    };
    for (const [name, form] of Object.entries(forms))
      needles[`${name} of content ${i + 1}`] = Buffer.from(form as string);
  }
  return { needles };
}

function rawKeys(keys: readonly Uint8Array[]): Record<string, Uint8Array> {
  return Object.fromEntries(
    keys.flatMap((key, i) => [
      [`key ${i}`, key],
      [`key ${i} as hex`, Buffer.from(Buffer.from(key).toString("hex"))],
      [`key ${i} as base64`, Buffer.from(Buffer.from(key).toString("base64").slice(0, 42))],
    ]),
  );
}

const hex = (keys: readonly Uint8Array[]) => keys.map((key) => Buffer.from(key).toString("hex"));

/** Purge one of two files of a key group, and look at everything that is left. `more`: folders besides the store's. */
async function expectNothingLeft(
  dataDir: string,
  env: Record<string, string>,
  more: (store: Store) => Promise<string[]>,
) {
  const store = await openStore(dataDir, env);
  const kept = await liveThrough(store, "/kept.txt");
  const gone = await liveThrough(store, "/gone.txt");
  const folders = [dataDir, ...(await more(store))];
  const kek = Buffer.from((await readFile(join(dataDir, "keys", "vfs-kek.key"), "utf8")).trim(), "hex");
  await store.checkpoint();
  const before = await readFolders(...folders);
  const living = unwrapAll([kek], wrappedCandidates(before));
  for (const key of hex([...kept.keys, ...gone.keys])) assert.ok(living.has(key), "the search must find living keys");
  assert.deepEqual(findTraces(before, { ...gone.needles, ...rawKeys(gone.keys) }), [], "while the file lives");

  const purged = await store.call("POST", `/api/fs/files/${gone.id}/purge`);
  const receipt = await purged.text();
  assert.equal((await (await store.call("GET", `/api/fs/files/${kept.id}/content`)).text()).length > 0, true);
  await store.close();
  const after = await readFolders(...folders);
  assert.ok(findTraces(after, { id: Buffer.from(gone.id) }).length > 0, "the audit must still name the file");
  assert.deepEqual(findTraces([...after, { path: "the receipt", bytes: Buffer.from(receipt) }], gone.needles), []);
  assert.deepEqual(findTraces(after, rawKeys(gone.keys)), []);
  const left = unwrapAll([kek], wrappedCandidates(after));
  for (const key of hex(kept.keys)) assert.ok(left.has(key), "the other file of the group must live on");
  for (const key of hex(gone.keys)) assert.ok(!left.has(key), "a key of the purged file can still be opened");
}

test("PGlite: after a purge the data folder holds neither plaintext nor a key, nor what confirms a guess", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "hearth-shred-"));
  try {
    await placeDatabase(dataDir);
    await expectNothingLeft(dataDir, {}, async () => []);
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
});

test("PostgreSQL: nor does the database's own folder", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "hearth-shred-"));
  const postgres = await startPostgres();
  try {
    await expectNothingLeft(dataDir, { DATABASE_URL: await postgres.createDatabase() }, async ({ deps }) => {
      const { rows } = await deps.db.execute<{ data_directory: string }>(sql`show data_directory`);
      return rows.map(({ data_directory }) => data_directory);
    });
  } finally {
    await postgres.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
});
