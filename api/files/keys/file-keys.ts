import { and, desc, eq, gt, inArray, type SQL } from "drizzle-orm";
import pRetry from "p-retry";
import type { Clock } from "../../platform/clock.ts";
import type { Database, Transaction } from "../../platform/db/index.ts";
import type { MultihashKey } from "../../platform/ucan/index.ts";
import type { BlobStore } from "../blobs/blob-store.ts";
import { GroupSecrets, SecretGoneError } from "./group-secrets.ts";
import type { KeyEncryption } from "./key-encryption.ts";
import type { FileKey, GroupSecret, VersionKey } from "./key-types.ts";
import { KeyWrapError, newKey, unwrapKey, wrapKey } from "./key-wrap.ts";
import { type Tagger, taggerOf } from "./lookup-tags.ts";
import { type GroupRef, OpenGroups } from "./open-groups.ts";
import { openDetails, sealDetails } from "./sealed-details.ts";
import { fileKeyGroups, retiredSecrets } from "./tables.ts";
import { UnwrappedKeys } from "./unwrapped-keys.ts";

export type { GroupRef } from "./open-groups.ts";
export type NewFileKey = GroupRef & { key: FileKey; wrapped: Buffer; tagger: Tagger };

/** A group under rotation, with the data to convert its remaining files. */
export type Rotation = GroupRef & {
  /** Unwrap a file's key with the old secret and wrap it with the new one. */
  rewrap(wrapped: Uint8Array): { key: FileKey; wrapped: Buffer };
  tagger: Tagger;
};

/** Minimum age at which an unnamed secret is destroyed, in milliseconds: its group may be about to commit. */
const unnamedGraceMs = 3_600_000;
const mostReads = 5;
const batchSize = 500;

export type FileKeysOptions = { db: Database; blobs: BlobStore; encryption: KeyEncryption; clock: Clock };

/**
 * Keys of files and versions, in groups that share one secret. Methods without a transaction must not be awaited inside one: the
 * embedded database has a single connection.
 */
export class FileKeys {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #secrets: GroupSecrets;
  readonly #groups: OpenGroups;
  readonly #unwrapped = new UnwrappedKeys();

  constructor({ db, blobs, encryption, clock }: FileKeysOptions) {
    this.#db = db;
    this.#clock = clock;
    this.#secrets = new GroupSecrets(blobs, encryption);
    this.#groups = new OpenGroups({ db, clock, secrets: this.#secrets });
  }

  /**
   * Create a key for a new file. The creating transaction, under its namespace's lock, must check that the group's `secretId` is
   * unchanged; otherwise call this once more with `again`.
   */
  async newFileKey(namespace: string, again = false): Promise<NewFileKey> {
    const attempt = async (reads: number) => {
      const { groupId, secretId } = await this.#groups.next(namespace, again || reads > 1);
      const secret = await this.#secrets.open(secretId);
      const key = newKey<FileKey>();
      return { groupId, secretId, key, wrapped: wrapKey(secret, key), tagger: taggerOf(secret) };
    };
    // Successive purges may each replace the secret after the row was read.
    const shouldRetry = ({ error }: { error: unknown }) => error instanceof SecretGoneError;
    return await pRetry(attempt, { retries: mostReads - 1, minTimeout: 0, shouldRetry });
  }

  /** @throws SecretGoneError when the group was rotated since its row was read: read it again */
  async openFileKey(ref: { groupId?: string; secretId: string }, wrapped: Uint8Array): Promise<FileKey> {
    const { secretId } = ref;
    return this.#unwrapped.fileKey({ secretId, secret: await this.#secrets.open(secretId) }, wrapped);
  }

  openVersionKey(fileKey: FileKey, wrapped: Uint8Array): VersionKey {
    return this.#unwrapped.versionKey(fileKey, wrapped);
  }

  /** See details.ts. */
  sealDetails(fileKey: FileKey, context: string, value: unknown): Buffer {
    return sealDetails(fileKey, context, value);
  }

  /** See details.ts. */
  openDetails(fileKey: FileKey, context: string, sealed: Uint8Array): unknown {
    return openDetails(fileKey, context, sealed);
  }

  /** Open the tagger of a key group. @throws SecretGoneError */
  async tagger(ref: Pick<GroupRef, "secretId">): Promise<Tagger> {
    return taggerOf(await this.#secrets.open(ref.secretId));
  }

  /** Compute the tags of a CID in every key group of the namespace. */
  async cidTags(namespace: string, multihash: MultihashKey): Promise<Buffer[]> {
    const where = eq(fileKeyGroups.namespace, namespace);
    return (await this.#tagged(where, undefined, (tagger) => tagger.cid(multihash))).map(({ value }) => value);
  }

  /** Compute the words' tags in one key group, and return the secret that they were made with. */
  async wordTags(groupId: string, words: readonly string[]): Promise<{ secretId: string; tags: bigint[] }> {
    const [made] = await this.#tagged(eq(fileKeyGroups.id, groupId), 1, (tagger) => words.map(tagger.word));
    if (made === undefined) throw new Error(`There is no key group ${groupId}.`);
    return { secretId: made.secretId, tags: made.value };
  }

  /** Compute the words' tags in each key group of the namespace, page by page, in the order of group ids. */
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

  /**
   * Give a group a new secret, so that everything that the old one wrapped or tagged becomes unreadable once `destroyRetired` has
   * run. The caller holds the namespace's lock. `carry` must convert every remaining file to the new secret: its wrapped key and
   * all tags. Call `destroyRetired` after the commit, before anything is acknowledged.
   */
  async rotate(tx: Transaction, groupId: string, carry: (rotation: Rotation) => Promise<void>): Promise<void> {
    const from = await this.#lockGroup(tx, groupId);
    const old = await this.#secrets.open(from);
    const { id: secretId, secret } = await this.#secrets.create();
    const rewrap = (wrapped: Uint8Array) => {
      const key = unwrapKey<FileKey>(old, wrapped);
      return { key, wrapped: wrapKey(secret, key) };
    };
    await carry({ groupId, secretId, rewrap, tagger: taggerOf(secret) });
    await this.#replace(tx, groupId, from, secretId);
  }

  /** Check that the configured key-encryption key opens the newest group's secret. True when there is no group. */
  async opensSecrets(): Promise<boolean> {
    const [newest] = await this.#db.select().from(fileKeyGroups).orderBy(desc(fileKeyGroups.id)).limit(1);
    if (newest === undefined) return true;
    return this.#secrets.open(newest.secretId).then(
      () => true,
      (error) => {
        if (error instanceof KeyWrapError) return false;
        // fsck reports a missing secret.
        if (error instanceof SecretGoneError) return true;
        throw error;
      },
    );
  }

  /** Destroy the secrets that committed rotations replaced. @returns how many */
  async destroyRetired(): Promise<number> {
    const retired = await this.#db.select().from(retiredSecrets);
    for (const { secretId } of retired) {
      await this.#destroy(secretId);
      await this.#db.delete(retiredSecrets).where(eq(retiredSecrets.secretId, secretId));
    }
    return retired.length;
  }

  async #destroy(secretId: string): Promise<void> {
    await this.#secrets.destroy(secretId);
    // Last: a request that read the file's row before may have opened its key while the secret was destroyed.
    this.#unwrapped.forget(secretId);
  }

  /**
   * At start, finish interrupted rotations: destroy retired secrets, and old ones that no group names. While a group's current
   * secret is missing, the database and the secrets may come from different backups, so no unnamed one is destroyed. @returns how
   * many were destroyed
   */
  async sweep(): Promise<number> {
    let destroyed = await this.destroyRetired();
    if (await this.#lacksSecrets()) return destroyed;
    for await (const ids of batches(this.#secrets.list(), ({ ageMs }) => ageMs >= unnamedGraceMs)) {
      const named = await this.#groupsOf(ids);
      for (const id of ids.filter((each) => !named.has(each))) {
        await this.#destroy(id);
        destroyed += 1;
      }
    }
    return destroyed;
  }

  async #lacksSecrets(): Promise<boolean> {
    const kept = new Set<string>();
    for await (const { id } of this.#secrets.list()) kept.add(id);
    const groups = await this.#db.select({ secretId: fileKeyGroups.secretId }).from(fileKeyGroups);
    for (const { secretId } of groups) {
      if (kept.has(secretId)) continue;
      // Another process may have made or replaced it since the listing began.
      const named = await this.#db.$count(fileKeyGroups, eq(fileKeyGroups.secretId, secretId));
      if (named > 0 && (await this.#secrets.isGone(secretId))) return true;
    }
    return false;
  }

  /**
   * Rewrap every secret that is wrapped with another key-encryption key. Each gets a new id, so that each group has a secret that
   * opens even if the process stops at any point. @returns how many were rewrapped
   */
  async rewrapSecrets(): Promise<number> {
    let rewrapped = 0;
    for await (const ids of batches(this.#secrets.list(), ({ id }) => this.#secrets.isOutdated(id))) {
      for (const groupId of (await this.#groupsOf(ids)).values()) {
        rewrapped += await this.#db.transaction((tx) => this.#rewrapSecret(tx, groupId));
      }
      await this.destroyRetired();
    }
    return rewrapped;
  }

  async #rewrapSecret(tx: Transaction, groupId: string): Promise<number> {
    const from = await this.#lockGroup(tx, groupId);
    // Another rotation may have replaced it already.
    if (!(await this.#secrets.isOutdated(from))) return 0;
    await this.#replace(tx, groupId, from, await this.#secrets.keep(await this.#secrets.open(from)));
    return 1;
  }

  /** Find the groups that name these secrets, by secret. */
  async #groupsOf(ids: string[]): Promise<Map<string, string>> {
    const rows = await this.#db
      .select({ groupId: fileKeyGroups.id, secretId: fileKeyGroups.secretId })
      .from(fileKeyGroups)
      .where(inArray(fileKeyGroups.secretId, ids));
    return new Map(rows.map(({ groupId, secretId }) => [secretId, groupId]));
  }

  async #lockGroup(tx: Transaction, groupId: string): Promise<string> {
    const [row] = await tx.select().from(fileKeyGroups).where(eq(fileKeyGroups.id, groupId)).for("update");
    if (row === undefined) throw new Error(`There is no key group ${groupId}.`);
    return row.secretId;
  }

  async #replace(tx: Transaction, groupId: string, from: string, to: string): Promise<void> {
    await tx.update(fileKeyGroups).set({ secretId: to }).where(eq(fileKeyGroups.id, groupId));
    await tx.insert(retiredSecrets).values({ secretId: from, retiredAt: this.#clock.now() });
  }

  /**
   * Check whether the group's secret is missing or cannot be decrypted. Then none of its files can be read, and it cannot be
   * rotated.
   */
  async isLost(tx: Transaction, groupId: string): Promise<boolean> {
    const secretId = await this.#lockGroup(tx, groupId);
    try {
      await this.#secrets.open(secretId);
      return false;
    } catch (error) {
      if (!isLostError(error)) throw error;
      return true;
    }
  }

  /** For a group whose secret is lost, return a random tagger: it finds nothing, and the search of other groups works. */
  async #taggerAnyway(group: Pick<GroupRef, "secretId">): Promise<Tagger> {
    try {
      return await this.tagger(group);
    } catch (error) {
      if (!isLostError(error)) throw error;
      return taggerOf(newKey<GroupSecret>());
    }
  }

  /** Call `make` with each group's tagger. If a group is rotated meanwhile, read all again. */
  async #tagged<Value>(where: SQL | undefined, limit: number | undefined, make: (tagger: Tagger) => Value) {
    for (let reads = 1; ; reads += 1) {
      const query = this.#db
        .select({ groupId: fileKeyGroups.id, secretId: fileKeyGroups.secretId })
        .from(fileKeyGroups)
        .where(where)
        .orderBy(fileKeyGroups.id);
      const taggerFor = reads < mostReads ? this.tagger.bind(this) : this.#taggerAnyway.bind(this);
      const groups = await (limit === undefined ? query : query.limit(limit));
      try {
        return await Promise.all(groups.map(async (group) => ({ ...group, value: make(await taggerFor(group)) })));
      } catch (error) {
        if (!(error instanceof SecretGoneError)) throw error;
      }
    }
  }
}

function isLostError(error: unknown): boolean {
  return error instanceof SecretGoneError || error instanceof KeyWrapError;
}

type Listed = { id: string; ageMs: number };

/** Select the ids of the wanted secrets, in batches. Secrets that are destroyed meanwhile are skipped. */
async function* batches(
  listed: AsyncIterable<Listed>,
  wanted: (secret: Listed) => boolean | Promise<boolean>,
): AsyncGenerator<string[]> {
  let batch: string[] = [];
  for await (const secret of listed) {
    if (await isWanted(wanted, secret)) batch.push(secret.id);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

async function isWanted(wanted: (secret: Listed) => boolean | Promise<boolean>, secret: Listed): Promise<boolean> {
  try {
    return await wanted(secret);
  } catch (error) {
    if (error instanceof SecretGoneError) return false;
    throw error;
  }
}
