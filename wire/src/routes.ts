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
 * The paths that answer a method: the API's own under `/v1`, which take the API key, the indexer's reports, and the file
 * store's, which take a UCAN in the header `authorization`.
 */
export type PathOf<M extends Method> = {
  [P in KnownPath]: Paths[P][M] extends Operation ? P : never;
}[KnownPath];

type OperationOf<M extends Method, P extends PathOf<M>> = Paths[P][M] extends infer O extends Operation ? O : never;

/** A type as it is sent: a number with decimals is a number, or `exact("12.000001")`. */
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
/** JSON, JSON that is text already, or the content of a media type that is named beside it, such as `text/csv`. */
type BodyOf<O> =
  ContentOf<O> extends { "application/json": infer Json }
    ? { body: ToSend<Json>; json?: never } | { json: string; body?: never }
    : ContentOf<O> extends { "application/octet-stream": unknown }
      ? { body: string | Blob; contentType: string }
      : { body: string | Blob; contentType: keyof ContentOf<O> };

/** What a route answers: its JSON, or the text of another media type. */
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

/** Options of a request: the path's and the query's parameters and the body, where the route has them. */
export type OptionsOf<M extends Method, P extends PathOf<M>> = Field<"path", OperationOf<M, P>["parameters"]["path"]> &
  Field<"query", OperationOf<M, P>["parameters"]["query"]> &
  ([ContentOf<OperationOf<M, P>>] extends [never]
    ? unknown
    : OperationOf<M, P> extends { requestBody: object }
      ? BodyOf<OperationOf<M, P>>
      : Partial<BodyOf<OperationOf<M, P>>>) &
  RequestOptions;

export type RequestOptions = {
  /** Makes a repeat of the same write safe over several calls; without it each call makes its own. At most 255 characters. */
  idempotencyKey?: string;
  signal?: AbortSignal;
  /** Further headers, such as `if-match`. */
  headers?: Record<string, string>;
};

/** The options are left out where all of them may be. */
export type OptionsArgument<M extends Method, P extends PathOf<M>> =
  Record<never, never> extends OptionsOf<M, P> ? [options?: OptionsOf<M, P>] : [options: OptionsOf<M, P>];

/** The paths that answer `{items, nextCursor}`. */
export type ListPath = {
  [P in PathOf<"get">]: AnswerOf<"get", P> extends { items: unknown[] } ? P : never;
}[PathOf<"get">];

export type ItemOf<P extends ListPath> = AnswerOf<"get", P> extends { items: (infer Item)[] } ? Item : never;
