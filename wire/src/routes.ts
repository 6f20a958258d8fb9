import type { Decimal, ExactNumber } from "./exact.ts";
import type { ReportPaths } from "./reports.ts";
import type { components, paths } from "./schema.ts";

/** Every schema of the API by its name: `Schemas["Voucher"]`. */
export type Schemas = components["schemas"];

export type Method = "get" | "post" | "put" | "patch" | "delete";

type Operation = { parameters: { path?: unknown; query?: unknown }; responses: object };

type Paths = paths & ReportPaths;
type KnownPath = keyof Paths &
  (`/v1/${string}` | `/reports/${string}` | `/api/fs/${string}` | "/oracle" | "/user-preferences");

/**
 * The paths with a method: the API's `/v1`, which needs the API key; the indexer's reports; and the file store's, which
 * need a UCAN in the header `authorization`.
 */
export type PathOf<M extends Method> = {
  [P in KnownPath]: Paths[P][M] extends Operation ? P : never;
}[KnownPath];

type OperationOf<M extends Method, P extends PathOf<M>> = Paths[P][M] extends infer O extends Operation ? O : never;

/** A type as it is sent: a decimal is a number, or `exact("12.000001")`. */
export type ToSend<T> = [Decimal] extends [T]
  ? [T] extends [Decimal | undefined]
    ? Exclude<T, string> | ExactNumber
    : T
  : T extends readonly (infer Item)[]
    ? ToSend<Item>[]
    : T extends object
      ? { [K in keyof T]: ToSend<T[K]> }
      : T;

type JsonOf<T> = T extends { content: { "application/json": infer Body } } ? Body : never;
type TextOf<T> = T extends { content: Record<string, infer Body> } ? Body : undefined;
type ContentOf<O> = O extends { requestBody?: infer B } ? (B extends { content: infer C } ? C : never) : never;
/** JSON, JSON that is already text, or the content of another media type such as `text/csv`. */
type BodyOf<O> =
  ContentOf<O> extends { "application/json": infer Json }
    ? { body: ToSend<Json>; json?: never } | { json: string; body?: never }
    : ContentOf<O> extends { "application/octet-stream": unknown }
      ? { body: string | Blob; contentType: string }
      : { body: string | Blob; contentType: keyof ContentOf<O> };

/** The answer of a route: its JSON, or the text of another media type. */
export type AnswerOf<M extends Method, P extends PathOf<M>> = {
  [S in keyof OperationOf<M, P>["responses"]]: OperationOf<M, P>["responses"][S] extends infer R
    ? [JsonOf<R>] extends [never]
      ? TextOf<R>
      : JsonOf<R>
    : never;
}[keyof OperationOf<M, P>["responses"]];

type Field<Name extends string, T> = [T] extends [undefined]
  ? unknown
  : undefined extends T
    ? { [K in Name]?: T }
    : { [K in Name]: T };

/** Options of a request: parameters of path and query and the body, as the route requires. */
export type OptionsOf<M extends Method, P extends PathOf<M>> = Field<"path", OperationOf<M, P>["parameters"]["path"]> &
  Field<"query", OperationOf<M, P>["parameters"]["query"]> &
  ([ContentOf<OperationOf<M, P>>] extends [never]
    ? unknown
    : OperationOf<M, P> extends { requestBody: object }
      ? BodyOf<OperationOf<M, P>>
      : Partial<BodyOf<OperationOf<M, P>>>) &
  RequestOptions;

export type RequestOptions = {
  /**
   * Makes repeated calls safe: writes with the same key are carried out once. Default: a new key for each call. At most
   * 255 characters.
   */
  idempotencyKey?: string;
  signal?: AbortSignal;
  /** Further headers, such as `if-match`. */
  headers?: Record<string, string>;
};

/** Options may be omitted when all of them are optional. */
export type OptionsArgument<M extends Method, P extends PathOf<M>> =
  Record<never, never> extends OptionsOf<M, P> ? [options?: OptionsOf<M, P>] : [options: OptionsOf<M, P>];

/** The paths that return `{items, nextCursor}`. */
export type ListPath = {
  [P in PathOf<"get">]: AnswerOf<"get", P> extends { items: unknown[] } ? P : never;
}[PathOf<"get">];

export type ItemOf<P extends ListPath> = AnswerOf<"get", P> extends { items: (infer Item)[] } ? Item : never;
