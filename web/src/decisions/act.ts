import type { Decimal } from "../../../wire/src/exact.ts";
import type { AnswerOf, OptionsOf, PathOf, RequestOptions } from "../../../wire/src/routes.ts";
import { hearth } from "../api/client.ts";
import type { Texts } from "../i18n/texts.ts";
import type { KeyHolder, Role } from "../session/session.ts";
import type { StateKind } from "../show/state-badge.tsx";

/** What the person entered, trimmed. */
export type Entered = Record<FieldName, string>;
export type FieldName = "reason" | "code" | "registry" | "first" | "last";

type Method = "post" | "patch";
/** A route of the API, with the request that a decision makes of it. */
export type Route = {
  method: Method;
  path: string;
  request: (id: string, entered: Entered) => { path?: unknown; body?: unknown };
  send: (id: string, entered: Entered, idempotencyKey: string) => Promise<unknown>;
};

/** One decision about a record. Its name is also the key of its sentences. */
export type Act<Row> = {
  name: keyof Texts["decisions"]["acts"];
  /** Roles that the API accepts. */
  roles: readonly Role[];
  /** Whether the record's state allows it. The API decides; this only hides the button. */
  isPossible: (row: Row) => boolean;
  /** Whether the key acts for the record's participant. Absent: any key of these roles may decide. */
  isOwn?: (row: Row, holder: KeyHolder) => boolean;
  fields: readonly FieldName[];
  /** Most characters of the reason. */
  longest?: number;
  /** True: nothing undoes it, or it takes something away. */
  isGrave?: boolean;
  route: Route;
};

/** What a sentence says of a record besides its id. */
export type Facts = { amount?: Decimal; tonnes?: number };

/** A sentence about what another role can do, with the day until or from which it can. */
export type Note = { name: keyof Texts["decisions"]["notes"]; at?: string; to?: string };

/** A kind of record with its decisions. */
export type RecordKind<Row> = {
  /** Gives the word for the record's state. */
  states: StateKind;
  read: (id: string, signal: AbortSignal) => Promise<Row>;
  stateOf: (row: Row) => string;
  facts: (row: Row) => Facts;
  notes?: (row: Row) => Note[];
  acts: readonly Act<Row>[];
};

type RequestOf<M extends Method, P extends PathOf<M>> = (
  id: string,
  entered: Entered,
) => Omit<OptionsOf<M, P>, keyof RequestOptions>;

/** A route with POST. */
export function post<P extends PathOf<"post">>(path: P, request: RequestOf<"post", P>): Route {
  const send = async (id: string, entered: Entered, idempotencyKey: string): Promise<AnswerOf<"post", P>> =>
    await hearth.post(path, ...([{ ...request(id, entered), idempotencyKey }] as never));
  return { method: "post", path, request, send };
}

/** A route with PATCH. */
export function patch<P extends PathOf<"patch">>(path: P, request: RequestOf<"patch", P>): Route {
  const send = async (id: string, entered: Entered, idempotencyKey: string): Promise<AnswerOf<"patch", P>> =>
    await hearth.patch(path, ...([{ ...request(id, entered), idempotencyKey }] as never));
  return { method: "patch", path, request, send };
}
