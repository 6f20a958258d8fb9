import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { inspect } from "node:util";
import { eq } from "drizzle-orm";
import { openTestKeys, type TestKeys } from "../../../test/support/files/keys.ts";
import { SecretGoneError } from "./group-secrets.ts";
import type { VersionKey } from "./key-types.ts";
import { KeyWrapError, newKey, wrapKey } from "./key-wrap.ts";
import { filesPerGroup } from "./open-groups.ts";
import { fileKeyGroups } from "./tables.ts";

let world: TestKeys;
before(async () => {
  world = await openTestKeys();
});
after(() => world.close());

let namespaces = 0;
const newNamespace = () => `did:key:zOwner${++namespaces}`;
const groupsOf = (namespace: string) =>
  world.deps.db.select().from(fileKeyGroups).where(eq(fileKeyGroups.namespace, namespace)).orderBy(fileKeyGroups.id);
const someHash = () => `1220${randomBytes(32).toString("hex")}`;

test("opens file and version keys in another process by what the rows hold", async () => {
  const file = await world.openKeys().newFileKey(newNamespace());
  const version = newKey<VersionKey>();
  const other = world.openKeys();
  const fileKey = await other.openFileKey(file, file.wrapped);
  assert.ok(fileKey.equals(file.key));
  assert.ok(other.openVersionKey(fileKey, wrapKey(file.key, version)).equals(version));
  assert.equal(file.wrapped.length, 40);
});

test("keeps opened keys, but opens them only by what wraps them, and forgets them with their group's secret", async () => {
  const keys = world.openKeys();
  const [file, other] = [await keys.newFileKey(newNamespace()), await keys.newFileKey(newNamespace())];
  const [version, later] = [newKey<VersionKey>(), newKey<VersionKey>()];
  const fileKey = await keys.openFileKey(file, file.wrapped);
  assert.equal(await keys.openFileKey(file, Buffer.from(file.wrapped)), fileKey, "it is opened once");
  const wrapped = wrapKey(file.key, version);
  const opened = keys.openVersionKey(fileKey, wrapped);
  assert.equal(keys.openVersionKey(fileKey, Buffer.from(wrapped)), opened, "it is opened once");
  assert.ok(keys.openVersionKey(fileKey, wrapKey(file.key, later)).equals(later));
  assert.ok(keys.openVersionKey(fileKey, wrapped).equals(version));

  await assert.rejects(keys.openFileKey(other, file.wrapped), KeyWrapError, "another group's secret");
  const otherKey = await keys.openFileKey(other, other.wrapped);
  assert.throws(() => keys.openVersionKey(otherKey, wrapped), KeyWrapError, "another file's key");

  await world.deps.db.transaction((tx) => keys.rotate(tx, file.groupId, async () => {}));
  await keys.destroyRetired();
  await assert.rejects(keys.openFileKey(file, file.wrapped), SecretGoneError);
  assert.ok((await keys.openFileKey(other, other.wrapped)).equals(other.key), "other groups' keys stay");
});

test("opens nothing with a foreign key-encryption key, and says so without a secret", async () => {
  const file = await world.openKeys().newFileKey(newNamespace());
  const foreign = randomBytes(32).toString("hex");
  const error = await world
    .openKeys([foreign])
    .openFileKey(file, file.wrapped)
    .catch((reason) => reason);
  assert.ok(error instanceof KeyWrapError);
  const shown = inspect(error, { depth: 5 });
  for (const secret of [world.kek, foreign, file.key.export().toString("hex")]) assert.ok(!shown.includes(secret));
  assert.ok(!inspect(file, { depth: 5 }).includes(file.key.export().toString("hex")));
});

test("puts no more than 256 files that one process makes into a group, however many come together", async () => {
  const namespace = newNamespace();
  const keys = world.openKeys();
  const made = await Promise.all(Array.from({ length: 2 * filesPerGroup + 1 }, () => keys.newFileKey(namespace)));
  const sizes = [...Map.groupBy(made, ({ groupId }) => groupId).values()].map((files) => files.length);
  assert.deepEqual(sizes, [filesPerGroup, filesPerGroup, 1]);
  assert.equal((await groupsOf(namespace)).length, 3);
  assert.equal(new Set(made.map(({ key }) => key.export().toString("hex"))).size, made.length);
});

test("continues with the newest group after a start, and keeps namespaces apart", async () => {
  const [one, two] = [newNamespace(), newNamespace()];
  const first = await world.openKeys().newFileKey(one);
  assert.equal((await world.openKeys().newFileKey(one)).groupId, first.groupId);
  assert.notEqual((await world.openKeys().newFileKey(two)).groupId, first.groupId);
});

test("gives the group's present secret when asked again after a rotation elsewhere", async () => {
  const namespace = newNamespace();
  const [mine, other] = [world.openKeys(), world.openKeys()];
  const stale = await mine.newFileKey(namespace);
  await world.deps.db.transaction((tx) => other.rotate(tx, stale.groupId, async () => {}));
  await other.destroyRetired();
  const fresh = await mine.newFileKey(namespace, true);
  assert.equal(fresh.groupId, stale.groupId);
  assert.notEqual(fresh.secretId, stale.secretId);
  assert.equal((await groupsOf(namespace))[0]?.secretId, fresh.secretId);
  // A process that never held the old secret learns that it is gone.
  await assert.rejects(world.openKeys().openFileKey(stale, stale.wrapped), SecretGoneError);
});

test("seals details under the file's key for one place alone", async () => {
  const keys = world.openKeys();
  const [file, other] = [await keys.newFileKey(newNamespace()), await keys.newFileKey(newNamespace())];
  const details = { cid: "bafy", mimeType: "text/plain", nested: { n: 1 } };
  const sealed = keys.sealDetails(file.key, "file/1", details);
  assert.deepEqual(keys.openDetails(file.key, "file/1", sealed), details);
  assert.notDeepEqual(keys.sealDetails(file.key, "file/1", details), sealed);
  assert.throws(() => keys.openDetails(file.key, "file/2", sealed));
  assert.throws(() => keys.openDetails(other.key, "file/1", sealed));
  for (const at of [0, 12, 30, sealed.length - 1]) {
    const changed = Buffer.from(sealed);
    changed[at] = (changed[at] ?? 0) ^ 1;
    assert.throws(() => keys.openDetails(file.key, "file/1", changed), `byte ${at}`);
  }
  // A shortened tag must not pass for a shorter one.
  assert.throws(() => keys.openDetails(file.key, "file/1", sealed.subarray(0, 20)));
});

test("finds the tags of a CID in every group of the namespace and in no other", async () => {
  const namespace = newNamespace();
  const keys = world.openKeys();
  const made = [];
  for (let count = 0; count <= filesPerGroup; count += 1) made.push(await keys.newFileKey(namespace));
  const foreign = await keys.newFileKey(newNamespace());
  const hash = someHash();
  const tags = (await world.openKeys().cidTags(namespace, hash)).map((tag) => tag.toString("hex"));
  assert.equal(new Set(tags).size, 2);
  for (const { tagger } of made) assert.ok(tags.includes(tagger.cid(hash).toString("hex")));
  assert.ok(!tags.includes(foreign.tagger.cid(hash).toString("hex")));
  assert.ok(!tags.includes(made[0]?.tagger.cid(someHash()).toString("hex") ?? ""));
});

test("gives the tags of words by group, page after page", async () => {
  const namespace = newNamespace();
  const keys = world.openKeys();
  for (let count = 0; count <= 2 * filesPerGroup; count += 1) await keys.newFileKey(namespace);
  const groups = await groupsOf(namespace);
  const words = ["hearth", "stove"];
  const first = await keys.wordTagsOf(namespace, words, { limit: 2 });
  const rest = await keys.wordTagsOf(namespace, words, { limit: 2, after: first[1]?.groupId ?? "" });
  const all = [...first, ...rest];
  assert.deepEqual(
    all.map(({ groupId }) => groupId),
    groups.map(({ id }) => id),
  );
  assert.equal(new Set(all.flatMap(({ tags }) => tags)).size, 6);
  for (const { groupId, tags } of all) assert.deepEqual((await keys.wordTags(groupId, words)).tags, tags);
});
