import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { sql } from "drizzle-orm";
import { openTestKeys, type TestKeys } from "../../test/support/files/keys.ts";
import { readConfig } from "../config.ts";
import { FileKeys } from "./keys/file-keys.ts";
import { createKeyEncryption } from "./keys/key-encryption.ts";
import { keysInFolder, openKeyEncryption } from "./keys/key-ring.ts";
import { KeyWrapError, newKey } from "./keys/key-wrap.ts";
import { RotationRefusedError, rotateKek } from "./rotate-kek.ts";
import { createUploadKey, openUploadKey } from "./uploads/upload-keys.ts";

const uploadId = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

/** A world with one file and one upload under the folder's key. */
async function withWorld(run: (world: TestKeys & { open: (keks?: string[]) => Promise<string> }) => Promise<void>) {
  const world = await openTestKeys();
  try {
    const { db, clock } = world.deps;
    const encryption = await openKeyEncryption(world.config);
    const keys = new FileKeys({ db, blobs: world.blobs, encryption, clock });
    const file = await keys.newFileKey("did:key:zOwner");
    await createUploadKey({ blobs: world.blobs, encryption }, uploadId);
    const upload = await openUploadKey({ blobs: world.blobs, encryption }, uploadId);
    /** Opens the file and the upload as a fresh process with these key-encryption keys would. */
    const open = async (keks?: string[]) => {
      const fresh = createKeyEncryption(keks ?? (await keysInFolder(world.config.dataDir)));
      const { rows } = await db.execute<{ secret_id: string }>(sql`select secret_id from file_key_groups`);
      const deps = { db, blobs: world.blobs, encryption: fresh, clock };
      const key = await new FileKeys(deps).openFileKey({ secretId: rows[0]?.secret_id ?? "" }, file.wrapped);
      const uploadKey = await openUploadKey(deps, uploadId);
      return key.equals(file.key) && upload !== undefined && uploadKey?.equals(upload) ? "opens" : "differs";
    };
    await run({ ...world, open });
  } finally {
    await world.close();
  }
}

test("wraps everything with a new key in the folder, and leaves the old one nowhere", () =>
  withWorld(async ({ deps, config, open }) => {
    const [old = ""] = await keysInFolder(config.dataDir);
    assert.deepEqual(await rotateKek(deps), { secrets: 1, uploads: 1 });
    const [now = "", ...others] = await keysInFolder(config.dataDir);
    assert.deepEqual([others.length, now === old], [0, false]);
    assert.equal(await open(), "opens");
    await assert.rejects(open([old]), KeyWrapError);
    const path = join(config.dataDir, "keys", "vfs-kek.key");
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.ok(!(await readFile(path, "utf8")).includes(old));
    assert.deepEqual(await rotateKek(deps), { secrets: 1, uploads: 1 }, "and once more");
    assert.equal(await open(), "opens");
  }));

test("continues with the key that an interrupted rotation made, and everything opens meanwhile", () =>
  withWorld(async ({ deps, config, open }) => {
    const [old = ""] = await keysInFolder(config.dataDir);
    const made = randomBytes(32).toString("hex");
    await writeFile(join(config.dataDir, "keys", "vfs-kek.key"), `${made}\n${old}\n`);
    assert.equal(await open(), "opens");
    assert.deepEqual(await rotateKek(deps), { secrets: 1, uploads: 1 });
    assert.deepEqual(await keysInFolder(config.dataDir), [made]);
    assert.equal(await open(), "opens");
  }));

test("wraps with VFS_KEK what VFS_KEK_PREVIOUS opens, and does nothing the second time", () =>
  withWorld(async ({ deps, config, open }) => {
    const previous = await keysInFolder(config.dataDir);
    const current = randomBytes(32).toString("hex");
    const env = { DATA_DIR: config.dataDir, VFS_KEK: current, VFS_KEK_PREVIOUS: previous.join(",") };
    const configured = { ...deps, config: readConfig(env) };
    assert.equal(await open([current, ...previous]), "opens");
    assert.deepEqual(await rotateKek(configured), { secrets: 1, uploads: 1 });
    assert.equal(await open([current]), "opens");
    assert.deepEqual(await rotateKek(configured), { secrets: 0, uploads: 0 });
    assert.deepEqual(await keysInFolder(config.dataDir), previous, "the folder's key is not its business");
  }));

test("does not touch the folder's key while other processes may use it", () =>
  withWorld(async ({ deps, config }) => {
    const before = await keysInFolder(config.dataDir);
    await assert.rejects(rotateKek({ ...deps, exclusive: false }), RotationRefusedError);
    assert.deepEqual(await keysInFolder(config.dataDir), before);
  }));

test("stops before the old key goes when something does not open", () =>
  withWorld(async ({ deps, config, blobs }) => {
    const [old = ""] = await keysInFolder(config.dataDir);
    const { rows } = await deps.db.execute<{ secret_id: string }>(sql`select secret_id from file_key_groups`);
    const foreign = createKeyEncryption([randomBytes(32).toString("hex")]);
    const key = `secrets/${rows[0]?.secret_id}`;
    const wrapped = await foreign.wrap(newKey());
    await blobs.put(key, one(JSON.stringify({ kek: wrapped.kek, wrapped: wrapped.wrapped.toString("base64") })));
    await assert.rejects(rotateKek(deps), KeyWrapError);
    assert.ok((await keysInFolder(config.dataDir)).includes(old));
  }));

async function* one(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
