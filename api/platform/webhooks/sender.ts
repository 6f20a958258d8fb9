import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { callOutside, OutboundError, type OutboundRules } from "../outbound/index.ts";
import type { SecretBox } from "../secret-box.ts";
import type { Worker, Workers } from "../workers/index.ts";
import { signedHeaders } from "./signature.ts";
import type { DueDelivery, WebhookStore } from "./store.ts";
import type { DeliveryRow, WebhookRow } from "./tables.ts";

export type SenderOptions = {
  store: WebhookStore;
  box: SecretBox;
  clock: Clock;
  log: Log;
  outbound: OutboundRules;
  workers: Workers;
  /** False for a revoked or expired key, for which nothing more is sent. */
  isKeyValid: (keyId: string) => Promise<boolean>;
};

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** Pause after each failed attempt in milliseconds, as Standard Webhooks suggests: about three days in all. */
export const RETRY_WAITS_MS = [
  5_000,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];
/** How long a claimed delivery is reserved, in milliseconds: longer than an attempt can take. */
const LEASE_MS = 30_000;
const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 1024 * 1024;
/** Most parallel attempts of all keys, and of one. So a silent receiver delays only deliveries of the same key. */
const AT_ONCE = 160;
const PER_KEY = 16;
const IDLE_MS = 1_000;
const KEEP_MS = 30 * 24 * HOUR;

/** Sends due deliveries, and repeats each until it succeeds or RETRY_WAITS_MS is used up. */
export class DeliverySender {
  readonly #options: SenderOptions;
  readonly #underWay = new Map<string, number>();
  readonly #attempts = new Set<Promise<void>>();
  readonly #sending: Worker;
  readonly #pruning: Worker;

  constructor(options: SenderOptions) {
    this.#options = options;
    const { workers, store } = options;
    this.#sending = workers.add({ name: "webhook-deliveries", everyMs: IDLE_MS, run: () => this.#beginDue() });
    this.#pruning = workers.add({
      name: "webhook-pruning",
      everyMs: HOUR,
      run: ({ now }) => store.prune(new Date(now.getTime() - KEEP_MS)),
    });
  }

  start(): void {
    this.#pruning.start();
    this.#sending.start();
  }

  /** Call this when a delivery may be due. */
  wake(): void {
    this.#sending.nudge();
  }

  async close(): Promise<void> {
    await this.#sending.close();
    await this.#pruning.close();
    await Promise.all(this.#attempts);
  }

  async #beginDue(): Promise<void> {
    const { store, clock } = this.#options;
    const limit = AT_ONCE - this.#attempts.size;
    if (limit <= 0) return;
    const now = clock.now();
    const leaseUntil = new Date(now.getTime() + LEASE_MS);
    const due = await store.takeDue({ now, leaseUntil, limit, perKey: PER_KEY, underWay: this.#underWay });
    for (const each of due) this.#begin(each);
  }

  #begin(due: DueDelivery): void {
    const { keyId } = due.webhook;
    this.#count(keyId, 1);
    const attempt = this.#send(due)
      .catch((error: unknown) => this.#options.log.warn({ err: error }, "a webhook delivery could not be sent"))
      .finally(() => {
        this.#attempts.delete(attempt);
        this.#count(keyId, -1);
        this.wake();
      });
    this.#attempts.add(attempt);
  }

  #count(keyId: string, change: 1 | -1): void {
    const count = (this.#underWay.get(keyId) ?? 0) + change;
    if (count > 0) this.#underWay.set(keyId, count);
    else this.#underWay.delete(keyId);
  }

  async #send({ delivery, webhook }: DueDelivery): Promise<void> {
    const { store, isKeyValid } = this.#options;
    const isActive = webhook.status === "active";
    if (!isActive || !(await isKeyValid(webhook.keyId))) {
      const lastError = isActive ? "The webhook's API key is no longer valid." : "The webhook is disabled.";
      await store.finish(delivery.id, { status: "failed", lastError });
      return;
    }
    const { status, error } = await this.#attempt(webhook, delivery);
    if (status !== null && status >= 200 && status <= 299) {
      const deliveredAt = this.#options.clock.now();
      await store.finish(delivery.id, { status: "succeeded", lastStatus: status, lastError: null, deliveredAt });
      return;
    }
    // 410 Gone: the receiver wants no more deliveries.
    if (status === 410) await store.disable(webhook.id);
    await this.#postpone(delivery, status, error);
  }

  async #attempt(webhook: WebhookRow, row: DeliveryRow): Promise<{ status: number | null; error: string | null }> {
    const { box, clock, outbound } = this.#options;
    const signed = signedHeaders(box.open(webhook.sealedSecret), row.eventId, clock.now(), row.body);
    const headers = { "content-type": "application/json", "user-agent": "Hearth-Webhooks/1", ...signed };
    const request = {
      method: "POST",
      headers,
      body: row.body,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
    } as const;
    try {
      const { status } = await callOutside(webhook.url, request, outbound);
      return { status, error: status >= 200 && status <= 299 ? null : `The receiver answers ${status}.` };
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      return { status: null, error: `The receiver ${error.message}.` };
    }
  }

  async #postpone(row: DeliveryRow, lastStatus: number | null, lastError: string | null): Promise<void> {
    const { store, clock } = this.#options;
    const wait = RETRY_WAITS_MS[row.attempts - 1];
    if (wait === undefined) {
      await store.finish(row.id, { status: "failed", lastStatus, lastError });
      return;
    }
    // Random spread, so that deliveries that failed together are not repeated together.
    const nextAttemptAt = new Date(clock.now().getTime() + wait * (1 + Math.random() * 0.1));
    await store.finish(row.id, { nextAttemptAt, lastStatus, lastError });
  }
}
