import type { Chain } from "../chain/index.ts";
import type { Clock } from "../clock.ts";
import { type EventHub, messageFor, type SchemeEvent } from "../events/index.ts";
import type { Actor } from "../http/index.ts";
import type { Worker, Workers } from "../workers/index.ts";
import type { WebhookStore } from "./store.ts";
import type { NewDelivery, WebhookRow } from "./tables.ts";

export type CollectorOptions = {
  chain: Chain;
  hub: EventHub;
  store: WebhookStore;
  clock: Clock;
  workers: Workers;
  /** Whether the key is still valid; a revoked key's webhooks get no more events. */
  isKeyValid: (keyId: string) => Promise<boolean>;
  onDue: () => void;
};

/** How long the list of webhooks is cached, in milliseconds; later, other processes' changes are noticed. */
const LIST_TTL_MS = 2_000;
/** Number of blocks without events after which the progress is stored. */
const IDLE_BLOCKS = 50n;
/** Blocks to go back when the chain was rewound. An event with a delivery gets no second one. */
const REWIND_BLOCKS = 64n;

/** Creates deliveries from the chain's events. All its state is in the database, so a kill loses nothing. */
export class DeliveryCollector {
  readonly #options: CollectorOptions;
  readonly #unsubscribe: () => void;
  #known: { rows: WebhookRow[]; until: number } | undefined;
  readonly #collecting: Worker;

  constructor(options: CollectorOptions) {
    this.#options = options;
    // Each block triggers a run, so a failed run is repeated from the same block.
    this.#collecting = options.workers.add({ name: "webhook-events", run: ({ signal }) => this.#collect(signal) });
    this.#collecting.start();
    this.#unsubscribe = options.chain.head.subscribe(() => this.wake());
  }

  /** Run now, after a new block or a change to the webhooks. */
  wake(): void {
    this.#collecting.nudge();
  }

  /** Drop the cached list of webhooks after a change. */
  refresh(): void {
    this.#known = undefined;
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    await this.#collecting.close();
  }

  async #collect(signal: AbortSignal): Promise<void> {
    const rows = await this.#webhooks();
    if (rows.length === 0) return;
    const { hub, chain } = this.#options;
    const { number: head } = await chain.latest();
    for (const row of rows) {
      if (row.throughBlock > head) row.throughBlock = head > REWIND_BLOCKS ? head - REWIND_BLOCKS : 0n;
    }
    const from = leastOf(rows, head) + 1n;
    for await (const { events, through } of hub.readRange(from, head)) {
      const deliveries = this.#deliveriesOf(events, rows);
      const idle = deliveries.length === 0 && through - from < IDLE_BLOCKS;
      if (!idle) await this.#save(deliveries, rows, through);
      if (signal.aborted) return;
    }
  }

  async #save(deliveries: NewDelivery[], rows: WebhookRow[], block: bigint): Promise<void> {
    await this.#options.store.saveDeliveries(deliveries, { ids: rows.map(({ id }) => id), block });
    for (const row of rows) row.throughBlock = block;
    if (deliveries.length > 0) this.#options.onDue();
  }

  #deliveriesOf(events: SchemeEvent[], rows: WebhookRow[]): NewDelivery[] {
    const now = this.#options.clock.now();
    return events.flatMap((event) =>
      rows.flatMap((row): NewDelivery[] => {
        if (row.throughBlock >= event.position.block) return [];
        if (row.events.length > 0 && !row.events.includes(event.type)) return [];
        const message = messageFor(actorOf(row), event);
        if (!message) return [];
        const body = JSON.stringify({ ...message, timestamp: message.occurredAt });
        const { id: eventId, type } = event;
        const delivery = { webhookId: row.id, eventId, type, body, status: "pending" as const };
        return [{ ...delivery, nextAttemptAt: now, createdAt: now }];
      }),
    );
  }

  async #webhooks(): Promise<WebhookRow[]> {
    const now = Date.now();
    if (this.#known && this.#known.until > now) return this.#known.rows;
    const rows: WebhookRow[] = [];
    for (const row of await this.#options.store.active()) {
      if (await this.#options.isKeyValid(row.keyId)) rows.push(row);
    }
    this.#known = { rows, until: now + LIST_TTL_MS };
    return rows;
  }
}

/** Return the lowest block that any webhook has reached. */
function leastOf(rows: WebhookRow[], head: bigint): bigint {
  const [first] = rows.map((row) => row.throughBlock).sort((a, b) => (a < b ? -1 : 1));
  return first !== undefined && first < head ? first : head;
}

/** Build the actor with the key's permissions when it created the webhook. */
function actorOf({ keyId, role, supplierDid, implementerDid, scopes, dids }: WebhookRow): Actor {
  return {
    keyId,
    role,
    ...(supplierDid === null ? {} : { supplierDid }),
    ...(implementerDid === null ? {} : { implementerDid }),
    scopes,
    dids,
  };
}
