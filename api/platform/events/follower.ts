import type { Chain } from "../chain/index.ts";
import type { Clock } from "../clock.ts";
import type { Actor, Role } from "../http/index.ts";
import type { Worker, Workers } from "../workers/index.ts";
import type { EventHub } from "./hub.ts";
import type { SchemeEvent } from "./types.ts";
import { type EventMessage, messageFor } from "./visibility.ts";

/** Someone who gets the events of a key, with the key's permissions at the time when it asked for them. */
export type Follower = {
  id: string;
  keyId: string;
  role: Role;
  supplierDid: string | null;
  implementerDid: string | null;
  scopes: string[];
  /** DIDs of an integrator's key; null means all. */
  dids: string[] | null;
  /** Everything up to this block has been stored for it. */
  throughBlock: bigint;
};

export type FollowOptions<Row extends Follower, Found> = {
  /** Name of the worker. */
  name: string;
  chain: Chain;
  hub: EventHub;
  clock: Clock;
  workers: Workers;
  /** Whether the key is still valid; a follower with a revoked key gets no more events. */
  isKeyValid: (keyId: string) => Promise<boolean>;
  active: () => Promise<Row[]>;
  /** What one event, as the follower may see it, means for the follower. */
  take: (row: Row, message: EventMessage, now: Date) => Found[];
  /** Store what was found together with the progress. What an earlier run stored for the same event stays. */
  save: (found: Found[], through: { ids: string[]; block: bigint }) => Promise<void>;
  /** Called after something was stored. */
  onFound: () => void;
};

/** How long the list of followers is cached, in milliseconds; later, other processes' changes are noticed. */
const LIST_TTL_MS = 2_000;
/** Number of blocks without events after which the progress is stored. */
const IDLE_BLOCKS = 50n;
/** Blocks to go back when the chain was rewound. */
const REWIND_BLOCKS = 64n;

/** Stores what events mean for followers. All its state is in the database, so a kill loses nothing. */
export class EventFollower<Row extends Follower, Found> {
  readonly #options: FollowOptions<Row, Found>;
  readonly #unsubscribe: () => void;
  #known: { rows: Row[]; until: number } | undefined;
  readonly #following: Worker;

  constructor(options: FollowOptions<Row, Found>) {
    this.#options = options;
    // Each block triggers a run, so a failed run is repeated from the same block.
    this.#following = options.workers.add({ name: options.name, run: ({ signal }) => this.#follow(signal) });
    this.#following.start();
    this.#unsubscribe = options.chain.head.subscribe(() => this.wake());
  }

  /** Run now, after a new block or a change to the followers. */
  wake(): void {
    this.#following.nudge();
  }

  /** Drop the cached list of followers after a change. */
  refresh(): void {
    this.#known = undefined;
  }

  async close(): Promise<void> {
    this.#unsubscribe();
    await this.#following.close();
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const rows = await this.#followers();
    if (rows.length === 0) return;
    const { hub, chain } = this.#options;
    const { number: head } = await chain.latest();
    for (const row of rows) {
      if (row.throughBlock > head) row.throughBlock = head > REWIND_BLOCKS ? head - REWIND_BLOCKS : 0n;
    }
    const from = leastOf(rows, head) + 1n;
    for await (const { events, through } of hub.readRange(from, head)) {
      const found = this.#foundIn(events, rows);
      const idle = found.length === 0 && through - from < IDLE_BLOCKS;
      if (!idle) await this.#save(found, rows, through);
      if (signal.aborted) return;
    }
  }

  async #save(found: Found[], rows: Row[], block: bigint): Promise<void> {
    await this.#options.save(found, { ids: rows.map(({ id }) => id), block });
    for (const row of rows) row.throughBlock = block;
    if (found.length > 0) this.#options.onFound();
  }

  #foundIn(events: SchemeEvent[], rows: Row[]): Found[] {
    const { clock, take } = this.#options;
    const now = clock.now();
    return events.flatMap((event) =>
      rows.flatMap((row): Found[] => {
        if (row.throughBlock >= event.position.block) return [];
        const message = messageFor(actorOf(row), event);
        return message === undefined ? [] : take(row, message, now);
      }),
    );
  }

  async #followers(): Promise<Row[]> {
    const now = performance.now();
    if (this.#known && this.#known.until > now) return this.#known.rows;
    const rows: Row[] = [];
    for (const row of await this.#options.active()) {
      if (await this.#options.isKeyValid(row.keyId)) rows.push(row);
    }
    this.#known = { rows, until: now + LIST_TTL_MS };
    return rows;
  }
}

/** Return the lowest block that any follower has reached. */
function leastOf(rows: Follower[], head: bigint): bigint {
  const [first] = rows.map((row) => row.throughBlock).sort((a, b) => (a < b ? -1 : 1));
  return first !== undefined && first < head ? first : head;
}

/** The part of a new follower's row that comes from the caller. */
export function followerOf(actor: Actor, throughBlock: bigint): Omit<Follower, "id"> {
  const { keyId, role, supplierDid = null, implementerDid = null, scopes, dids } = actor;
  return { keyId, role, supplierDid, implementerDid, scopes, dids, throughBlock };
}

function actorOf({ keyId, role, supplierDid, implementerDid, scopes, dids }: Follower): Actor {
  return {
    keyId,
    role,
    ...(supplierDid === null ? {} : { supplierDid }),
    ...(implementerDid === null ? {} : { implementerDid }),
    scopes,
    dids,
  };
}
