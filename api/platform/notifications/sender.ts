import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { SecretBox } from "../secret-box.ts";
import type { Worker, Workers } from "../workers/index.ts";
import type { Mailer } from "./mail.ts";
import { type Links, writeEmail, writePush } from "./message.ts";
import type { Pusher } from "./push.ts";
import { SendError } from "./send-error.ts";
import type { NotificationStore } from "./store.ts";
import type { NoticeRow, SubscriptionRow } from "./tables.ts";

export type NoticeSenderOptions = {
  store: NotificationStore;
  box: SecretBox;
  clock: Clock;
  log: Log;
  workers: Workers;
  /** Undefined when no mail server is configured. */
  mailer: Mailer | undefined;
  pusher: Pusher;
  /** False for a revoked or expired key, whose subscriptions are deleted. */
  isKeyValid: (keyId: string) => Promise<boolean>;
  linksOf: (subscriptionId: string) => Links & { endAtOnce: string };
};

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Shortest time between two messages to one address, in milliseconds; what happens in between comes in one message. */
export const QUIET_MS = { email: 10 * MINUTE, push: MINUTE };
/** Pause after each failed attempt, in milliseconds: about a day in all. Then the subscription has failed. */
const RETRY_WAITS_MS = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR, 16 * HOUR];
/** How long a claimed subscription is reserved, in milliseconds: longer than an attempt can take. */
const LEASE_MS = 2 * MINUTE;
const LOOK_MS = 5_000;
/** Most notices that one message is about. */
const MOST_NOTICES = 1_000;
const KEEP_SENT_MS = 30 * 24 * HOUR;
const KEEP_UNCONFIRMED_MS = 48 * HOUR;

/** Sends what is due, one message for all notices of a subscription. */
export class NoticeSender {
  readonly #options: NoticeSenderOptions;
  readonly #sending: Worker;
  readonly #pruning: Worker;

  constructor(options: NoticeSenderOptions) {
    this.#options = options;
    const { workers, store } = options;
    this.#sending = workers.add({
      name: "notifications",
      everyMs: LOOK_MS,
      run: ({ signal }) => this.#sendDue(signal),
    });
    this.#pruning = workers.add({
      name: "notification-pruning",
      everyMs: HOUR,
      run: ({ now }) =>
        store.prune({
          sent: new Date(now.getTime() - KEEP_SENT_MS),
          unconfirmed: new Date(now.getTime() - KEEP_UNCONFIRMED_MS),
        }),
    });
  }

  start(): void {
    this.#sending.start();
    this.#pruning.start();
  }

  /** Call this when something may be due. */
  wake(): void {
    this.#sending.nudge();
  }

  async close(): Promise<void> {
    await this.#sending.close();
    await this.#pruning.close();
    this.#options.mailer?.close();
  }

  async #sendDue(signal: AbortSignal): Promise<void> {
    const { store, clock } = this.#options;
    while (!signal.aborted) {
      const now = clock.now();
      const due = await store.takeDue(now, new Date(now.getTime() + LEASE_MS));
      if (due.length === 0) return;
      await Promise.all(due.map((row) => this.#send(row, now)));
    }
  }

  async #send(row: SubscriptionRow, now: Date): Promise<void> {
    const { store, log, isKeyValid } = this.#options;
    if (!(await isKeyValid(row.keyId))) {
      await store.remove(row.id);
      return;
    }
    const notices = await store.due(row.id, now, MOST_NOTICES);
    if (notices.length === 0) return;
    try {
      await this.#deliver(row, notices);
    } catch (error) {
      if (!(error instanceof SendError)) throw error;
      log.warn({ subscriptionId: row.id, channel: row.channel, reason: error.message }, "a notification was not sent");
      await this.#postpone(row, error, now);
      return;
    }
    const ids = notices.map(({ id }) => id);
    await store.sent(row.id, ids, { now, next: new Date(now.getTime() + this.#quietMs(row, notices)) });
  }

  async #deliver(row: SubscriptionRow, notices: NoticeRow[]): Promise<void> {
    const { box, mailer, pusher, linksOf } = this.#options;
    const links = linksOf(row.id);
    if (row.channel === "push") {
      await pusher.send(JSON.parse(box.open(row.sealedAddress)), writePush(notices, row.language, links));
      return;
    }
    if (mailer === undefined) throw new SendError("This system has no mail server any more.", { isFinal: false });
    const endUrl = row.status === "active" ? links.endAtOnce : undefined;
    const id = `${row.id}.${notices[0]?.id}`;
    await mailer.send({ to: box.open(row.sealedAddress), ...writeEmail(notices, row.language, links), id, endUrl });
  }

  /** What comes after a confirmation is not delayed by it. */
  #quietMs(row: SubscriptionRow, notices: NoticeRow[]): number {
    return notices.some(({ type }) => type === "address.confirm") ? 0 : QUIET_MS[row.channel];
  }

  async #postpone(row: SubscriptionRow, { message, isFinal }: SendError, now: Date): Promise<void> {
    const { store } = this.#options;
    const wait = RETRY_WAITS_MS[row.attempts - 1];
    if (isFinal || wait === undefined) {
      await store.change(row.id, { status: "failed", lastError: message });
      return;
    }
    // Random spread, so that messages that failed together are not repeated together.
    const nextAttemptAt = new Date(now.getTime() + wait * (1 + Math.random() * 0.1));
    await store.change(row.id, { lastError: message, nextAttemptAt });
  }
}
