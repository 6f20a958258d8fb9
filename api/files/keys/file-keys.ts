import { and, count, desc, eq, gt, type SQL } from "drizzle-orm";
import { ulid } from "ulid";
import type { Clock } from "../../core-deps.ts";
import type { Database, Transaction } from "../../db/client.ts";
import type { MultihashKey } from "../authority/grant.ts";
import type { BlobStore } from "../blobs/blob-store.ts";
import { files } from "../tables.ts";
import { openDetails, sealDetails } from "./details.ts";
import type { KeyEncryption } from "./key-encryption.ts";
import type { FileKey, VersionKey } from "./key-kinds.ts";
import { newKey, unwrapKey, wrapKey } from "./key-wrap.ts";
import { GroupSecrets, SecretGoneError } from "./secrets.ts";
import { fileKeyGroups, retiredSecrets } from "./tables.ts";
import { type Tagger, taggerOf } from "./tags.ts";

/** A key group as its row names it, at one moment. */
export type GroupRef = { groupId: string; secretId: string };
export type NewFileKey = GroupRef & { key: FileKey; wrapped: Buffer; tagger: Tagger };

/** A group under rotation: what its remaining files need to change. */
export type Rotation = GroupRef & {
  /** Open a file's key as its row has it, and wrap it anew. */
  rewrap(wrapped: Uint8Array): { key: FileKey; wrapped: Buffer };
  tagger: Tagger;
};

/** Files after which a group is left alone: what one purge has to rewrap. */
export const filesPerGroup = 256;
/** A secret that no group names is not destroyed before this age: its group may be about to commit. */
const unnamedGraceMs = 3_600_000;

export type FileKeysOptions = { db: Database; blobs: BlobStore; encryption: KeyEncryption; clock: Clock };

/**
 * Keys of files and versions, in groups that one secret opens. Methods without a transaction must not be awaited inside one:
 * the embedded database has a single connection.
 */
export class FileKeys {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #secrets: GroupSecrets;
  /** The group that takes a namespace's new files, with how many it has. */
  readonly #open = new Map<string, Promise<{ groupId: string; files: number }>>();

  constructor({ db, blobs, encryption, clock }: FileKeysOptions) {
    this.#db = db;
    this.#clock = clock;
    this.#secrets = new GroupSecrets(blobs, encryption);
  }

  /** A key for a file that is about to be created. In the creating transaction ask `isCurrent`; when not, begin anew. */
  async newFileKey(namespace: string): Promise<NewFileKey> {
    const ref = await this.#groupWithRoom(namespace);
    const secret = await this.#secrets.open(ref.secretId);
    const key = newKey<FileKey>();
    return { ...ref, key, wrapped: wrapKey(secret, key), tagger: taggerOf(secret) };
  }

  /** @throws SecretGoneError when the group was rotated since its row was read: read it again */
  async openFileKey(ref: GroupRef, wrapped: Uint8Array): Promise<FileKey> {
    return unwrapKey<FileKey>(await this.#secrets.open(ref.secretId), wrapped);
  }

  newVersionKey(fileKey: FileKey): { key: VersionKey; wrapped: Buffer } {
    const key = newKey<VersionKey>();
    return { key, wrapped: wrapKey(fileKey, key) };
  }

  openVersionKey(fileKey: FileKey, wrapped: Uint8Array): VersionKey {
    return unwrapKey<VersionKey>(fileKey, wrapped);
  }

  /** See details.ts. */
  sealDetails(fileKey: FileKey, context: string, value: unknown): Buffer {
    return sealDetails(fileKey, context, value);
  }

  /** See details.ts. */
  openDetails(fileKey: FileKey, context: string, sealed: Uint8Array): unknown {
    return openDetails(fileKey, context, sealed);
  }

  /** Makes the tags of a group. @throws SecretGoneError */
  async tagger(ref: Pick<GroupRef, "secretId">): Promise<Tagger> {
    return taggerOf(await this.#secrets.open(ref.secretId));
  }

  /** Tags that content of this CID has in any group of the namespace. */
  async cidTags(namespace: string, multihash: MultihashKey): Promise<Buffer[]> {
    const where = eq(fileKeyGroups.namespace, namespace);
    return (await this.#tagged(where, undefined, (tagger) => tagger.cid(multihash))).map(({ value }) => value);
  }

  /** The words' tags in one group, and the secret that made them: in the writing transaction ask `isCurrent`. */
  async wordTags(groupId: string, words: readonly string[]): Promise<{ secretId: string; tags: bigint[] }> {
    const [made] = await this.#tagged(eq(fileKeyGroups.id, groupId), 1, (tagger) => words.map(tagger.word));
    if (made === undefined) throw new Error(`There is no key group ${groupId}.`);
    return { secretId: made.secretId, tags: made.value };
  }

  /** The words' tags in each group of the namespace, by ascending group id, a page at a time. */
  async wordTagsOf(
    namespace: string,
    words: readonly string[],
    page: { after?: string; limit: number },
  ): Promise<{ groupId: string; tags: bigint[] }[]> {
    const after = page.after === undefined ? undefined : gt(fileKeyGroups.id, page.after);
    const where = and(eq(fileKeyGroups.namespace, namespace), after);
    const made = await this.#tagged(where, page.limit, (tagger) => words.map(tagger.word));
    return made.map(({ groupId, value }) => ({ groupId, tags: value }));
  }

  /** Whether the group still has this secret; it then keeps it until the transaction ends. */
  async isCurrent(tx: Transaction, ref: GroupRef): Promise<boolean> {
    const [row] = await tx
      .select({ secretId: fileKeyGroups.secretId })
      .from(fileKeyGroups)
      .where(eq(fileKeyGroups.id, ref.groupId))
      .for("share");
    return row?.secretId === ref.secretId;
  }

  /**
   * Give a group a new secret, so that what the old one opened and tagged is dead once `destroyRetired` has run.
   * `carry` must move every file that stays to the new secret: wrapped key and all tags. Call `destroyRetired` after the commit,
   * before anything is acknowledged.
   */
  async rotate(tx: Transaction, groupId: string, carry: (rotation: Rotation) => Promise<void>): Promise<void> {
    const [row] = await tx.select().from(fileKeyGroups).where(eq(fileKeyGroups.id, groupId)).for("update");
    if (row === undefined) throw new Error(`There is no key group ${groupId}.`);
    const old = await this.#secrets.open(row.secretId);
    const { id: secretId, secret } = await this.#secrets.create();
    const rewrap = (wrapped: Uint8Array) => {
      const key = unwrapKey<FileKey>(old, wrapped);
      return { key, wrapped: wrapKey(secret, key) };
    };
    await carry({ groupId, secretId, rewrap, tagger: taggerOf(secret) });
    await this.#replace(tx, groupId, row.secretId, secretId);
  }

  /** Destroy the secrets that committed rotations left. How many. */
  async destroyRetired(): Promise<number> {
    const retired = await this.#db.select().from(retiredSecrets);
    for (const { secretId } of retired) {
      await this.#secrets.destroy(secretId);
      await this.#db.delete(retiredSecrets).where(eq(retiredSecrets.secretId, secretId));
    }
    return retired.length;
  }

  /** At start: finish what a stop interrupted, destroying retired secrets and old ones that no group names. How many. */
  async sweep(): Promise<number> {
    let destroyed = await this.destroyRetired();
    for await (const { id, ageMs } of this.#secrets.list()) {
      if (ageMs < unnamedGraceMs) continue;
      const named = await this.#db.$count(fileKeyGroups, eq(fileKeyGroups.secretId, id));
      if (named > 0) continue;
      await this.#secrets.destroy(id);
      destroyed += 1;
    }
    return destroyed;
  }

  async #replace(tx: Transaction, groupId: string, from: string, to: string): Promise<void> {
    await tx
      .update(fileKeyGroups)
      .set({ secretId: to })
      .where(and(eq(fileKeyGroups.id, groupId), eq(fileKeyGroups.secretId, from)));
    await tx.insert(retiredSecrets).values({ secretId: from, retiredAt: this.#clock.now() });
  }

  /** What `make` makes with each group's tagger. A group that is rotated meanwhile is read again. */
  async #tagged<Value>(where: SQL | undefined, limit: number | undefined, make: (tagger: Tagger) => Value) {
    for (let attempt = 1; ; attempt += 1) {
      const query = this.#db
        .select({ groupId: fileKeyGroups.id, secretId: fileKeyGroups.secretId })
        .from(fileKeyGroups)
        .where(where)
        .orderBy(fileKeyGroups.id);
      const groups = await (limit === undefined ? query : query.limit(limit));
      try {
        return await Promise.all(groups.map(async (group) => ({ ...group, value: make(await this.tagger(group)) })));
      } catch (error) {
        if (!(error instanceof SecretGoneError) || attempt === 3) throw error;
      }
    }
  }

  async #groupWithRoom(namespace: string): Promise<GroupRef> {
    const current = await (this.#open.get(namespace) ?? this.#takeUp(namespace));
    if (current.files < filesPerGroup) {
      current.files += 1;
      const [row] = await this.#db
        .select({ secretId: fileKeyGroups.secretId })
        .from(fileKeyGroups)
        .where(eq(fileKeyGroups.id, current.groupId));
      if (row !== undefined) return { groupId: current.groupId, secretId: row.secretId };
    }
    this.#open.set(namespace, this.#begin(namespace));
    return this.#groupWithRoom(namespace);
  }

  /** Continue the namespace's newest group, if it has room. */
  #takeUp(namespace: string): Promise<{ groupId: string; files: number }> {
    const taking = this.#newest(namespace).then((found) => found ?? this.#begin(namespace));
    this.#open.set(namespace, taking);
    taking.catch(() => this.#open.delete(namespace));
    return taking;
  }

  async #newest(namespace: string): Promise<{ groupId: string; files: number } | undefined> {
    const [group] = await this.#db
      .select({ groupId: fileKeyGroups.id })
      .from(fileKeyGroups)
      .where(eq(fileKeyGroups.namespace, namespace))
      .orderBy(desc(fileKeyGroups.id))
      .limit(1);
    if (group === undefined) return undefined;
    const [filed] = await this.#db.select({ files: count() }).from(files).where(eq(files.keyGroup, group.groupId));
    return { ...group, files: filed?.files ?? 0 };
  }

  async #begin(namespace: string): Promise<{ groupId: string; files: number }> {
    const { id: secretId } = await this.#secrets.create();
    const groupId = ulid();
    await this.#db.insert(fileKeyGroups).values({ id: groupId, namespace, secretId, createdAt: this.#clock.now() });
    return { groupId, files: 0 };
  }
}
