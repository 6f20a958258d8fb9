import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readdir, readFile, utimes } from "node:fs/promises";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { sql } from "drizzle-orm";
import { streamOf } from "../../../test/support/files/files.ts";
import { listKeys, openTestKeys, type TestKeys } from "../../../test/support/files/keys.ts";
import type { FileKeys, NewFileKey } from "./file-keys.ts";
import { createKeyEncryption, type WrappedSecret } from "./key-encryption.ts";
import type { GroupSecret } from "./key-types.ts";
import { KeyWrapError, unwrapKey } from "./key-wrap.ts";
import { taggerOf } from "./lookup-tags.ts";

let world: TestKeys;
before(async () => {
  world = await openTestKeys();
});
after(() => world.close());

let namespaces = 0;
const newNamespace = () => `did:key:zOwner${++namespaces}`;
const secretPath = (id: string) => join(world.config.dataDir, "files", "secrets", id.slice(0, 2), id);
const kept = async (id: string): Promise<WrappedSecret> => {
  const { kek, wrapped } = JSON.parse(await readFile(secretPath(id), "utf8"));
  return { kek, wrapped: Buffer.from(wrapped, "base64") };
};

/** Every secret that can be opened with the whole data folder and the key-encryption key. */
async function openSecrets(): Promise<GroupSecret[]> {
  const encryption = createKeyEncryption([world.kek]);
  const ids = (await listKeys(world.blobs, "secrets/")).map((key) => key.slice("secrets/".length));
  return Promise.all(ids.map(async (id) => (await encryption.unwrap(await kept(id))) as GroupSecret));
}

function opensAny(secrets: GroupSecret[], wrapped: Buffer): boolean {
  return secrets.some((secret) => {
    try {
      unwrapKey(secret, wrapped);
      return true;
    } catch (error) {
      assert.ok(error instanceof KeyWrapError);
      return false;
    }
  });
}

async function twoFiles(keys: FileKeys): Promise<{ purged: NewFileKey; stays: NewFileKey }> {
  const namespace = newNamespace();
  return { purged: await keys.newFileKey(namespace), stays: await keys.newFileKey(namespace) };
}

const rotate = (keys: FileKeys, { stays }: { stays: NewFileKey }, failing = false) => {
  const carried = Promise.withResolvers<{ wrapped: Buffer; secretId: string }>();
  const done = world.deps.db.transaction((tx) =>
    keys.rotate(tx, stays.groupId, async (rotation) => {
      const { key, wrapped } = rotation.rewrap(stays.wrapped);
      assert.ok(key.equals(stays.key));
      carried.resolve({ wrapped, secretId: rotation.secretId });
      if (failing) throw new Error("the transaction fails");
    }),
  );
  return { done, carried: carried.promise };
};

test("leaves nothing that opens a purged file's key or matches its tags, with every old row, the folder and the KEK", async () => {
  const keys = world.openKeys();
  const { purged, stays } = await twoFiles(keys);
  const guess = `1220${randomBytes(32).toString("hex")}`;
  // What dead rows and log pages of the database still hold after the purge.
  const old = { wrapped: purged.wrapped, cidTag: purged.tagger.cid(guess), wordTag: purged.tagger.word("hearth") };
  const wrappedSecret = (await kept(purged.secretId)).wrapped;
  const confirms = (secrets: GroupSecret[]) =>
    secrets.some(
      (secret) => taggerOf(secret).cid(guess).equals(old.cidTag) || taggerOf(secret).word("hearth") === old.wordTag,
    );
  assert.ok(opensAny(await openSecrets(), old.wrapped), "before the purge it opens");
  assert.ok(confirms(await openSecrets()), "before the purge a guess is confirmed");

  const { done, carried } = rotate(keys, { stays });
  await done;
  assert.equal(await keys.destroyRetired(), 1);

  assert.ok(!opensAny(await openSecrets(), old.wrapped));
  assert.ok(!confirms(await openSecrets()));
  assert.ok(!opensAny(await openSecrets(), stays.wrapped), "neither does the old wrapping of the file that stays");
  const now = await carried;
  assert.ok((await world.openKeys().openFileKey(now, now.wrapped)).equals(stays.key), "the file that stays opens");
  for (const name of await readdir(world.config.dataDir, { recursive: true })) {
    const bytes = await readFile(join(world.config.dataDir, name)).catch(() => Buffer.alloc(0));
    assert.ok(!bytes.includes(wrappedSecret) && !bytes.includes(wrappedSecret.toString("base64")), name);
  }
});

test("finishes at the next start what a stop left between commit and destruction", async () => {
  const keys = world.openKeys();
  const { purged, stays } = await twoFiles(keys);
  await rotate(keys, { stays }).done;
  assert.ok(opensAny(await openSecrets(), purged.wrapped), "the old secret is still stored");
  assert.ok((await world.openKeys().sweep()) >= 1);
  assert.ok(!opensAny(await openSecrets(), purged.wrapped));
  assert.deepEqual((await world.deps.db.execute(sql`select * from file_retired_secrets`)).rows, []);
});

test("keeps the old secret when the rotation's transaction fails", async () => {
  const keys = world.openKeys();
  const { purged, stays } = await twoFiles(keys);
  await assert.rejects(rotate(keys, { stays }, true).done, /the transaction fails/);
  assert.equal(await keys.destroyRetired(), 0);
  assert.ok((await world.openKeys().openFileKey(purged, purged.wrapped)).equals(purged.key));
});

test("destroys a secret that no group names once it is too old to be awaited", async () => {
  const keys = world.openKeys();
  const { stays } = await twoFiles(keys);
  await keys.sweep();
  const before = await listKeys(world.blobs, "secrets/");
  await assert.rejects(rotate(keys, { stays }, true).done);
  const [unnamed = ""] = (await listKeys(world.blobs, "secrets/")).filter((key) => !before.includes(key));
  assert.equal(await world.openKeys().sweep(), 0, "its group may be about to commit");
  const hoursAgo = new Date(Date.now() - 2 * 3_600_000);
  for (const key of [...before, unnamed]) await utimes(secretPath(key.slice("secrets/".length)), hoursAgo, hoursAgo);
  const fresh = world.openKeys();
  assert.ok((await fresh.sweep()) >= 1);
  assert.ok(!(await listKeys(world.blobs, "secrets/")).includes(unnamed));
  assert.ok((await fresh.openFileKey(stays, stays.wrapped)).equals(stays.key), "named ones stay, however old");
});

test("destroys no unnamed secret while a group's own is missing: the database may be older than the secrets", async () => {
  const keys = world.openKeys();
  const { stays } = await twoFiles(keys);
  const unnamed = `secrets/${"0".repeat(32)}`;
  await world.blobs.put(unnamed, streamOf("the one that a newer database names"));
  const hoursAgo = new Date(Date.now() - 2 * 3_600_000);
  await utimes(secretPath("0".repeat(32)), hoursAgo, hoursAgo);
  const own = `secrets/${stays.secretId}`;
  const bytes = await buffer(world.blobs.get(own));
  await world.blobs.delete(own);
  assert.equal(await world.openKeys().sweep(), 0);
  assert.notEqual(await world.blobs.stat(unnamed), undefined);
  await world.blobs.put(own, streamOf(bytes));
  assert.equal(await world.openKeys().sweep(), 1);
  assert.equal(await world.blobs.stat(unnamed), undefined);
});

test("rotates a group that two purges want concurrently, one after the other", async () => {
  const [one, two] = [world.openKeys(), world.openKeys()];
  const { stays } = await twoFiles(one);
  const namespaceGroup = stays.groupId;
  let wrapped = stays.wrapped;
  const carry = async (rotation: { rewrap: (wrapped: Uint8Array) => { wrapped: Buffer } }) => {
    wrapped = rotation.rewrap(wrapped).wrapped;
  };
  await Promise.all(
    [one, two].map((keys) => world.deps.db.transaction((tx) => keys.rotate(tx, namespaceGroup, carry))),
  );
  assert.equal(await one.destroyRetired(), 2);
  const { rows } = await world.deps.db.execute<{ secret_id: string }>(
    sql`select secret_id from file_key_groups where id = ${namespaceGroup}`,
  );
  const ref = { groupId: namespaceGroup, secretId: rows[0]?.secret_id ?? "" };
  assert.ok((await world.openKeys().openFileKey(ref, wrapped)).equals(stays.key));
});
