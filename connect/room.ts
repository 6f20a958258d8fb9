import type { LookupFunction } from "node:net";
import type { Clock } from "../api/platform/clock.ts";
import type { Database, Transaction } from "../api/platform/db/index.ts";
import type { App, RequestContext, Role } from "../api/platform/http/index.ts";
import type { Log } from "../api/platform/log.ts";
import type { OperationJob, StartedOperation } from "../api/platform/operations/index.ts";
import type { OutboundRequest, OutboundResponse } from "../api/platform/outbound/index.ts";
import type { EvidenceStore, FileCaller } from "../api/platform/ports/files.ts";
import type { SecretBox } from "../api/platform/secret-box.ts";
import type { Workers } from "../api/platform/workers/index.ts";
import type { HearthClient } from "../wire/src/index.ts";

/** An API key that a room makes for a device or a gateway: an integrator's, with as few scopes as its work needs. */
export type RoomKey = {
  name: string;
  scopes: string[];
  /** DIDs that the key may act for; absent for all. */
  dids?: string[] | undefined;
  expiresAt?: string | undefined;
};

/** An API key that is valid once it is stored. */
export type PreparedRoomKey = { id: string; key: string; store: (tx: Transaction) => Promise<void> };

/** An operation that a room starts: work with rows, which survives a kill and shows its progress. */
export type RoomOperation = { type: string; input: unknown; rows: Iterable<unknown> };

/** Whether an admin said that an address may be in the server's own network. */
export type NetworkAllowance = { privateNetwork: boolean };

/** What the process gives to a room. Everything else a room gets from the API, through `client`. */
export type RoomHost = {
  /** URL at which clients reach this server, without a slash at the end. */
  publicUrl: string;
  /** Days after which a field record that nobody corrected or completed is abandoned; 0: never. */
  recordsOpenDays: number;
  log: Log;
  clock: Clock;
  /** For the room's own tables (`connect/<room>/tables.ts`). It reads no other table. */
  db: Database;
  /** Create a client of the API that acts with an API key, or for public routes without one. Its requests stay within the process. */
  client: (key?: string) => HearthClient;
  /** Create a client of the API that acts as the caller of a request. Its requests stay within the process. */
  clientAs: (ctx: RequestContext) => HearthClient;
  /** Encrypts secrets and personal data for the room's tables, with a key of the process for all rooms. */
  secretBox: SecretBox;
  /** The process's periodic work. A room starts what it adds in `start`. */
  workers: Pick<Workers, "add">;
  keys: {
    /**
     * Make an integrator's API key. `store` stores it in a transaction of the room, together with what it is for, so that a kill
     * cannot leave one without the other.
     * @throws AppError FORBIDDEN unless the caller may create keys
     */
    prepare: (ctx: RequestContext, key: RoomKey) => Promise<PreparedRoomKey>;
    /**
     * Revoke an API key in the transaction that ends what it was for, so that a kill cannot leave a key that nothing uses.
     * @returns what to call after the transaction
     */
    takeBack: (tx: Transaction, id: string) => Promise<() => void>;
    /** Revoke an API key. @throws AppError FORBIDDEN unless the caller may revoke keys; NOT_FOUND */
    revoke: (ctx: RequestContext, id: string) => Promise<void>;
  };
  /**
   * Call an address that a person named. Private addresses are refused, also after a name is resolved, unless an admin allowed it for
   * this address; redirects are followed only when the request says so.
   * @throws OutboundError
   */
  callOutside: (url: string, request: OutboundRequest, allowance?: NetworkAllowance) => Promise<OutboundResponse>;
  /** Check a host for a connection that is not HTTP by the same rules. @throws OutboundError */
  lookupOutside: (host: string, allowance: NetworkAllowance) => LookupFunction;
  operations: {
    /** Define the code of a type of operations, in `start`. */
    define: (type: string, run: (job: OperationJob) => Promise<unknown>) => void;
    /** Store an operation and start it. Under an Idempotency-Key, an interrupted attempt's operation is returned. */
    start: (ctx: RequestContext, operation: RoomOperation) => Promise<StartedOperation>;
  };
  /** The encrypted file store, for files below `/connect/<room>`. Rooms that receive records share `/connect/odk`. */
  files: { store: EvidenceStore; caller: () => Promise<FileCaller> };
};

/** Something that a person should know and that has no event on the chain. `id` is the same whenever it is read. */
export type RoomNotice = { id: string; type: "payout.failed" | "payout.account_changed"; subject: string; at: Date };
/** Who is notified: the role of a key, and its supplier. */
export type NoticeReader = { role: Role; supplierDid: string | null };

/** An adapter to another system. It is opened once per process, and does nothing before `start`. */
export type Room = {
  /** Add the room's routes to the API's app. Opens nothing: `openapi.json` is generated from rooms that were not started. */
  mount: (app: App) => void;
  /** Read what concerns a person since a time, for notifications. It is asked again and again. */
  notices?: (reader: NoticeReader, since: Date) => Promise<RoomNotice[]>;
  /** Begin background work. */
  start?: () => void;
  close?: () => Promise<void>;
};
