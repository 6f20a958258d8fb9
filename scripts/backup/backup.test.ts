import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import { type Config, readConfig } from "../../api/config.ts";
import { DiskBlobs } from "../../api/files/blobs/disk-blobs.ts";
import { openDatabase } from "../../api/platform/db/index.ts";
import { placeDatabase } from "../../test/support/database.ts";
import { startPostgres } from "../../test/support/postgres.ts";
import { startS3, type TestS3 } from "../../test/support/s3.ts";
import { dumpDatabase } from "./database.ts";
import { type Manifest, once } from "./manifest.ts";
import { openPlace, requireApart } from "./place.ts";
import { Progress } from "./progress.ts";
import { restoreBackup } from "./restore-backup.ts";
import { takeBackup } from "./take-backup.ts";

let folder: string;
let dataDir: string;
let s3: TestS3;
/** The first backup, which the tests of refusals restore. */
let place: string;
const contents = new Map(
  ["content/aaaaaaaa", "secrets/bbbbbbbb", "uploads/cccccccc"].map((key) => [key, randomBytes(70_000)]),
);
/** As many more blobs of one byte: they are copied several at a time. */
const small = 40;
const progress = new Progress(() => {});

const configOf = (folderOfData: string, env: Record<string, string> = {}) =>
  readConfig({ DATA_DIR: folderOfData, LOG_LEVEL: "silent", ...env });

/** A system that is stopped: database, chain, deployment, keys and blobs. */
before(async () => {
  folder = await mkdtemp(join(tmpdir(), "hearth-backup-test-"));
  dataDir = join(folder, "data");
  await mkdir(join(dataDir, "chain"), { recursive: true });
  await mkdir(join(dataDir, "deployments"));
  await writeFile(join(dataDir, "chain/state.json.gz"), gzipSync("{}"));
  await writeFile(join(dataDir, "deployments/31337.json"), JSON.stringify({ contracts: { pool: "0x1" } }));
  await mkdir(join(dataDir, "keys"));
  for (const name of ["scheme", "vfs-kek", "operator"])
    await writeFile(join(dataDir, "keys", `${name}.key`), `${randomBytes(32).toString("hex")}\n`);
  await placeDatabase(dataDir);
  const blobs = new DiskBlobs(join(dataDir, "files"));
  for (const [key, bytes] of contents) await blobs.put(key, once(bytes));
  for (let i = 0; i < small; i++)
    await blobs.put(`content/dddddddd${String(i).padStart(4, "0")}`, once(Buffer.from([i])));
  await blobs.close();
  s3 = await startS3();
  place = join(folder, "backup");
  await backUp(place);
});
after(async () => {
  await s3?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function backUp(name: string, config: Config = configOf(dataDir)): Promise<Manifest> {
  const opened = await openPlace(name);
  return await takeBackup({ config, place: opened, withDatabase: true, progress }).finally(() => opened.close());
}

async function restore(name: string, config: Config): Promise<void> {
  const opened = await openPlace(name);
  await restoreBackup({ config, place: opened, withDatabase: true, progress }).finally(() => opened.close());
}

/** A new DATA_DIR with the keys of the system. */
async function target(): Promise<string> {
  const made = await mkdtemp(join(folder, "target-"));
  await mkdir(join(made, "keys"));
  for (const name of await readdir(join(dataDir, "keys")))
    await writeFile(join(made, "keys", name), await readFile(join(dataDir, "keys", name)));
  return made;
}

const changeManifest = async (change: (manifest: Manifest) => void): Promise<string> => {
  const other = await mkdtemp(join(folder, "changed-"));
  const manifest = JSON.parse(await readFile(join(place, "manifest.json"), "utf8")) as Manifest;
  change(manifest);
  await writeFile(join(other, "manifest.json"), JSON.stringify(manifest));
  return other;
};

async function bytesOf(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of source) parts.push(Buffer.from(part));
  return Buffer.concat(parts);
}

test("a backup has every part, names the secrets without their values, and restores to the same", async () => {
  const text = await readFile(join(place, "manifest.json"), "utf8");
  const names = await readdir(join(dataDir, "keys"));
  assert.equal(names.length, 3);
  for (const name of names) {
    const secret = (await readFile(join(dataDir, "keys", name), "utf8")).trim();
    assert.ok(text.includes(`DATA_DIR/keys/${name}`) && !text.includes(secret), name);
  }
  const restored = await target();
  await restore(place, configOf(restored));
  for (const path of ["chain/state.json.gz", "deployments/31337.json"])
    assert.deepEqual(await readFile(join(restored, path)), await readFile(join(dataDir, path)));
  const blobs = new DiskBlobs(join(restored, "files"));
  for (const [key, bytes] of contents) assert.deepEqual(await bytesOf(blobs.get(key)), bytes);
  await blobs.close();
  const database = await PGlite.create(join(restored, "api-db"));
  const { rows } = await database.query<{ count: number }>("select count(*)::int as count from chain_transactions");
  await database.close();
  assert.deepEqual(rows, [{ count: 0 }]);
  await assert.rejects(restore(place, configOf(restored)), /is not empty \(it has api-db, chain, deployments, files\)/);
});

test("a backup in a bucket, of files in a bucket, continues when it was interrupted", async () => {
  const bucket = await s3.createBucket();
  const config = configOf(dataDir, { BLOB_URL: `file://${join(dataDir, "files")}` });
  const opened = await openPlace(bucket);
  const system = (JSON.parse(await readFile(join(place, "manifest.json"), "utf8")) as Manifest).system;
  const unfinished = { format: 1, startedAt: new Date().toISOString(), system };
  await opened.put("unfinished.json", once(Buffer.from(JSON.stringify(unfinished))));
  const [[key = "", bytes = Buffer.alloc(0)] = []] = contents;
  await opened.put("blobs/content/aa/aaaaaaaa", once(bytes));
  await assert.rejects(restore(bucket, configOf(await target())), /is incomplete: it was interrupted/);
  const { blobs } = await backUp(bucket, config);
  assert.deepEqual(blobs, { count: 3 + small, bytes: 210_000 + small });
  assert.equal(await opened.sizeOf("unfinished.json"), undefined);
  opened.close();

  const files = await s3.createBucket();
  await restore(bucket, configOf(await target(), { BLOB_URL: files }));
  const stored = await openPlace(files);
  assert.deepEqual(await bytesOf(stored.get(key)), bytes);
  stored.close();
  await assert.rejects(restore(bucket, configOf(await target(), { BLOB_URL: files })), /BLOB_URL is not empty/);
});

test("no program opens the folder of an interrupted restore, which continues when it is run again", async () => {
  const damaged = await mkdtemp(join(folder, "damaged-"));
  await restore(place, configOf(await target()));
  const lines = (await readFile(join(place, "blobs.jsonl"), "utf8"))
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.equal(lines.length, 3 + small);
  for (const path of await readdir(place, { recursive: true, withFileTypes: true })) {
    if (!path.isFile()) continue;
    const from = join(path.parentPath, path.name);
    const to = join(damaged, from.slice(place.length));
    await mkdir(join(to, ".."), { recursive: true });
    await writeFile(to, await readFile(from));
  }
  const blob = join(damaged, "blobs/content/aa/aaaaaaaa");
  await appendFile(blob, "x");
  const restored = await target();
  await assert.rejects(restore(damaged, configOf(restored)), /blobs\/content\/aa\/aaaaaaaa of the backup is damaged/);
  await assert.rejects(openDatabase(configOf(restored)), /DATA_DIR: has an unfinished restore/);
  await writeFile(blob, contents.get("content/aaaaaaaa") ?? "");
  await restore(damaged, configOf(restored));
  assert.ok((await readdir(restored)).includes("api-db"));
});

test("refuses an incomplete or newer backup, other secrets and a place in use, and writes nothing", async () => {
  const refused = async (name: string, config: Config, reason: RegExp) => {
    await assert.rejects(restore(name, config), reason);
    assert.deepEqual(
      (await readdir(config.dataDir)).filter((each) => each !== "keys"),
      [],
    );
  };
  await refused(join(folder, "nowhere"), configOf(await target()), /There is no backup in/);
  const newer = await changeManifest(({ database }) => {
    if (database !== undefined) database.migration += 1_000_000_000_000;
  });
  await refused(newer, configOf(await target()), /of a version that this program does not know/);
  const shorter = await changeManifest(({ files }) => {
    for (const file of Object.values(files)) file.sha256 = "0".repeat(64);
  });
  await refused(shorter, configOf(await target()), /is missing in/);
  for (const path of ["blobs.jsonl", "chain/state.json.gz", "database"]) {
    const without = await changeManifest(({ files }) => void delete files[path]);
    await refused(without, configOf(await target()), /manifest.json in .* is damaged/);
  }
  const escaping = await changeManifest(({ files }) => {
    files["../data/keys/scheme.key"] = { size: 65, sha256: "0".repeat(64) };
  });
  await refused(escaping, configOf(await target()), /manifest.json in .* is damaged/);
  const other = await target();
  await rm(join(other, "keys/vfs-kek.key"));
  await writeFile(join(other, "keys/operator.key"), randomBytes(32).toString("hex"));
  await refused(place, configOf(other), /operator \(was .*\) is different; vfs-kek \(was .*\) is missing/);
  const outside = {
    RPC_URL: "http://127.0.0.1:1",
    CHAIN_ID: "1",
    DEPLOYMENT: "none",
    RELAYER_KEY_FILE: join(other, "none"),
  };
  assert.throws(() => configOf(other, outside), /RELAYER_KEY_FILE/);
  await assert.rejects(backUp(place), /has a complete backup already/);
  await assert.rejects(backUp(dataDir), /is not empty/);
  const { blobs } = configOf(dataDir).files;
  assert.throws(() => requireApart(join(dataDir, "backup"), dataDir, blobs), /overlap/);
  assert.throws(() => requireApart(folder, dataDir, blobs), /overlap/);
});

test("needs the sealing key that the system had, which may be a previous one since", async () => {
  const [then, since] = [randomBytes(32).toString("hex"), randomBytes(32).toString("hex")];
  const kept = join(dataDir, "keys/sealing.key");
  const withSealing = join(folder, "with-sealing");
  await writeFile(kept, `${then}\n`);
  const { secrets } = await backUp(withSealing).finally(() => rm(kept));
  const named = secrets.find(({ name }) => name === "sealing");
  assert.equal(named?.place, "DATA_DIR/keys/sealing.key");
  assert.ok(!JSON.stringify(secrets).includes(then));
  await assert.rejects(restore(withSealing, configOf(await target())), /sealing \(was .*\) is missing/);
  await assert.rejects(
    restore(withSealing, configOf(await target(), { SEALING_KEY: since })),
    /sealing \(was .*\) is different/,
  );
  await restore(withSealing, configOf(await target(), { SEALING_KEY: then }));
  await restore(withSealing, configOf(await target(), { SEALING_KEY: since, SEALING_KEYS_PREVIOUS: then }));
  const unfinished = await target();
  await writeFile(join(unfinished, "keys/sealing.key"), `${since}\n${then}\n`);
  await restore(withSealing, configOf(unfinished));
});

test("refuses a second copy of the embedded database while a backup still reads the first", async () => {
  const first = await dumpDatabase(configOf(dataDir));
  await assert.rejects(dumpDatabase(configOf(dataDir)), new RegExp(`Process ${process.pid} is copying this database`));
  await first.close();
  const second = await dumpDatabase(configOf(dataDir));
  assert.ok((await bytesOf(second.bytes)).length > 0);
  await second.close();
});

test("pg_dump gets a password in the database's URL by its environment only, wherever the URL has it", async () => {
  const postgres = await startPostgres();
  const { PATH } = process.env;
  try {
    const plain = await postgres.createDatabase();
    const client = new pg.Client({ connectionString: plain });
    await client.connect();
    await client.query("create schema drizzle; create table drizzle.__drizzle_migrations (created_at bigint)");
    await client.end();
    const bin = await mkdtemp(join(folder, "bin-"));
    const report = '#!/bin/sh\nfor each in "$@"; do echo "$each"; done\necho "password=$PGPASSWORD"\n';
    await writeFile(join(bin, "pg_dump"), report, { mode: 0o755 });
    process.env.PATH = `${bin}:${PATH}`;
    const open = plain.replace("hearth:hearth@", "hearth@");
    const options = "options=-c%20statement_timeout%3D0";
    for (const [given, shown] of [
      [plain, open],
      [`${open}?password=hearth&sslpassword=hearth2`, open],
      [
        `${open.replace("hearth@", "")}?user=hearth&${options}&password=hearth`,
        `${open.replace("hearth@", "")}?user=hearth&${options}`,
      ],
    ] as const) {
      const dump = await dumpDatabase(configOf(dataDir, { DATABASE_URL: given }));
      const lines = (await bytesOf(dump.bytes)).toString().trim().split("\n");
      await dump.close();
      assert.deepEqual(lines.slice(-2), [`--dbname=${shown}`, "password=hearth"]);
    }
  } finally {
    process.env.PATH = PATH;
    await postgres.stop();
  }
});
