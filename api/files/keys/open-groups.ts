import { count, desc, eq } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { ulid } from "ulid";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db/index.ts";
import { files } from "../records/tables.ts";
import type { GroupSecrets } from "./group-secrets.ts";
import { fileKeyGroups } from "./tables.ts";

/** A key group and its secret at the time when its row was read. */
export type GroupRef = { groupId: string; secretId: string };
type OpenGroup = GroupRef & { files: number };

/** Most files in one group. A purge must rewrap all of them. Two processes that fill a group together may exceed it. */
export const filesPerGroup = 256;
const keptNamespaces = 10_000;

/** Chooses the key group for the next new file of a namespace. */
export class OpenGroups {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #secrets: GroupSecrets;
  readonly #open = new LRUCache<string, Promise<OpenGroup>>({ max: keptNamespaces });

  constructor(options: { db: Database; clock: Clock; secrets: GroupSecrets }) {
    this.#db = options.db;
    this.#clock = options.clock;
    this.#secrets = options.secrets;
  }

  /** Find or create a group that is not full. @param again true when the last call's group was out of date */
  async next(namespace: string, again: boolean): Promise<GroupRef> {
    const known = again ? undefined : this.#open.get(namespace);
    const opening = known ?? this.#set(namespace, this.#continueGroup(namespace));
    const group = await opening;
    if (group.files < filesPerGroup) {
      group.files += 1;
      return group;
    }
    // When several callers find the group full, one of them creates the next group.
    if (this.#open.get(namespace) === opening) this.#set(namespace, this.#begin(namespace));
    return this.next(namespace, false);
  }

  #set(namespace: string, opening: Promise<OpenGroup>): Promise<OpenGroup> {
    this.#open.set(namespace, opening);
    opening.catch(() => {
      if (this.#open.get(namespace) === opening) this.#open.delete(namespace);
    });
    return opening;
  }

  /** Continue the namespace's newest group. */
  async #continueGroup(namespace: string): Promise<OpenGroup> {
    const [newest] = await this.#db
      .select({ groupId: fileKeyGroups.id, secretId: fileKeyGroups.secretId })
      .from(fileKeyGroups)
      .where(eq(fileKeyGroups.namespace, namespace))
      .orderBy(desc(fileKeyGroups.id))
      .limit(1);
    if (newest === undefined) return this.#begin(namespace);
    const [filed] = await this.#db.select({ files: count() }).from(files).where(eq(files.keyGroup, newest.groupId));
    return { ...newest, files: filed?.files ?? 0 };
  }

  async #begin(namespace: string): Promise<OpenGroup> {
    const { id: secretId } = await this.#secrets.create();
    const groupId = ulid();
    await this.#db.insert(fileKeyGroups).values({ id: groupId, namespace, secretId, createdAt: this.#clock.now() });
    return { groupId, secretId, files: 0 };
  }
}
