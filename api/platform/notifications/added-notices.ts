import type { Clock } from "../clock.ts";
import type { Worker, Workers } from "../workers/index.ts";
import type { NotificationStore } from "./store.ts";
import type { SubscriptionRow } from "./tables.ts";
import type { NoticeType, Topic } from "./topics.ts";

/** Something that waits and has no event on the chain. */
export type Added = { id: string; type: NoticeType; subject: string; at: Date };
/** Whose notices are read: the limits of the key. */
export type NoticeReader = Pick<
  SubscriptionRow,
  "keyId" | "role" | "supplierDid" | "implementerDid" | "scopes" | "dids"
>;
/** Reads what a feature has to say to the holder of a key since a time. It is asked again and again. */
export type AddedSource = {
  topic: Topic;
  read: (reader: NoticeReader, since: Date) => Promise<Added[]>;
};

export type AddedNoticesOptions = {
  store: NotificationStore;
  clock: Clock;
  workers: Workers;
  sources: readonly AddedSource[];
  onFound: () => void;
};

const LOOK_MS = 15_000;
/** How far back it looks, in milliseconds: longer than this service is ever down. */
const LOOK_BACK_MS = 7 * 24 * 60 * 60 * 1000;

/** Adds notices from the database's records: proposals, and imports that have ended. */
export class AddedNotices {
  readonly #options: AddedNoticesOptions;
  readonly #looking: Worker;

  constructor(options: AddedNoticesOptions) {
    this.#options = options;
    this.#looking = options.workers.add({ name: "notification-records", everyMs: LOOK_MS, run: () => this.#look() });
    this.#looking.start();
  }

  close(): Promise<void> {
    return this.#looking.close();
  }

  async #look(): Promise<void> {
    const { store, clock, onFound } = this.#options;
    const now = clock.now();
    const earliest = new Date(now.getTime() - LOOK_BACK_MS);
    let isNew = false;
    for (const row of await store.active()) {
      const since = row.createdAt > earliest ? row.createdAt : earliest;
      if (await store.add(await this.#found(row, since, now))) isNew = true;
    }
    if (isNew) onFound();
  }

  async #found(row: SubscriptionRow, since: Date, now: Date) {
    const chosen = this.#options.sources.filter(({ topic }) => row.topics.includes(topic));
    const found = (await Promise.all(chosen.map(({ read }) => read(row, since)))).flat();
    return found.map(({ id, type, subject, at }) => ({
      subscriptionId: row.id,
      eventId: id,
      type,
      subject,
      occurredAt: at,
      dueAt: now,
    }));
  }
}
