import createFetchClient from "openapi-fetch";
import pRetry from "p-retry";
import { errorOfOperation, HearthError, PendingTransactionError } from "./errors.ts";
import { parseExact, stringifyExact } from "./exact.ts";
import { createIndexReader, type IndexReader } from "./index-rows.ts";
import type { AnswerOf, ItemOf, ListPath, Method, OptionsArgument, PathOf, RequestOptions, Schemas } from "./routes.ts";
import { createSend, type SendOptions } from "./send.ts";

export type ClientOptions = SendOptions & {
  /** Where the API is, such as `https://hearth.example`. */
  baseUrl: string;
};

type Call<M extends Method> = <P extends PathOf<M>>(
  path: P,
  ...options: OptionsArgument<M, P>
) => Promise<AnswerOf<M, P>>;

export type OperationOptions = {
  /** Called with each new count of rows: done, failed, total. */
  onProgress?: (progress: Schemas["Operation"]["progress"]) => void;
  /** How long to wait, in milliseconds. Default 15 minutes; the operation continues after that. */
  timeoutMs?: number;
  signal?: AbortSignal;
};

/** An operation that succeeded, completely or partly. */
export type EndedOperation<Result> = Omit<Schemas["Operation"], "result"> & { result?: Result };

export type HearthClient = IndexReader & {
  get: Call<"get">;
  post: Call<"post">;
  put: Call<"put">;
  patch: Call<"patch">;
  delete: Call<"delete">;
  /** The unparsed response, for images, streams and headers. @throws HearthError */
  raw: <M extends Method, P extends PathOf<M>>(
    method: M,
    path: P,
    ...options: OptionsArgument<M, P>
  ) => Promise<Response>;
  /** Every item of a list, page by page. @throws HearthError */
  items: <P extends ListPath>(path: P, ...options: OptionsArgument<"get", P>) => AsyncGenerator<ItemOf<P>, void, void>;
  /** Wait until an operation has ended. @throws HearthError when it failed, with every broken rule */
  operation: <Result = unknown>(id: string, options?: OperationOptions) => Promise<EndedOperation<Result>>;
};

type AnyOptions = RequestOptions & {
  path?: object;
  query?: object;
  body?: unknown;
  json?: string;
  contentType?: string;
};

/**
 * Create a client of the API. Writes get an `Idempotency-Key` and are repeated when the answer is lost.
 *
 * Each call throws `HearthError` with every broken rule, and `PendingTransactionError` when a write's transaction is not in a
 * block within the server's limit.
 *
 * @example
 * ```ts
 * import { createClient } from "@hearth/wire";
 *
 * const hearth = createClient({ baseUrl: "http://localhost:3000", key: "hk_…" });
 * const voucher = await hearth.get("/v1/vouchers/{voucherId}", { path: { voucherId: "VCHR-00000000000011" } });
 * for await (const { redemptionId } of hearth.items("/v1/redemptions", { query: { voucherId: voucher.id } }))
 *   console.log(redemptionId);
 * ```
 */
export function createClient({ baseUrl, ...options }: ClientOptions): HearthClient {
  const client = createFetchClient({
    baseUrl,
    fetch: createSend({ baseUrl, ...options }),
    bodySerializer: stringifyExact,
  });

  async function send(method: Method, path: string, given: AnyOptions = {}) {
    const { path: values, query, json, idempotencyKey, signal } = given;
    const { body = json, contentType = json === undefined ? undefined : "application/json" } = given;
    // Only /v1 stores the answers of writes, so only those are repeated.
    const isRepeatable = method !== "get" && path.startsWith("/v1/");
    const headers = {
      ...(isRepeatable ? { "idempotency-key": idempotencyKey ?? crypto.randomUUID() } : {}),
      ...(contentType === undefined ? {} : { "content-type": contentType }),
      ...given.headers,
    };
    const { response } = await client.request(
      method,
      path as never,
      {
        params: { path: values, query },
        headers,
        parseAs: "stream",
        ...(contentType === undefined ? {} : { bodySerializer: (content: BodyInit) => content }),
        ...(body === undefined ? {} : { body }),
        ...(signal === undefined ? {} : { signal }),
      } as never,
    );
    return response;
  }

  async function request(method: Method, path: string, options?: AnyOptions): Promise<unknown> {
    const response = await send(method, path, options);
    const answer = await read(response);
    if (response.status === 202 && isSubmitted(answer)) throw new PendingTransactionError(answer);
    return answer;
  }

  const call = <M extends Method>(method: M) =>
    ((path: string, options?: AnyOptions) => request(method, path, options)) as Call<M>;

  async function* items(path: string, options: AnyOptions = {}): AsyncGenerator<unknown, void, void> {
    for (let query = options.query; ; ) {
      const page = (await request("get", path, { ...options, query } as AnyOptions)) as {
        items: unknown[];
        nextCursor?: string;
      };
      yield* page.items;
      if (!page.nextCursor) return;
      query = { ...options.query, cursor: page.nextCursor };
    }
  }

  async function operation(id: string, { onProgress, timeoutMs = 900_000, signal }: OperationOptions = {}) {
    let done = -1;
    const look = async () => {
      const answer = await call("get")("/v1/operations/{id}", {
        path: { id },
        ...(signal === undefined ? {} : { signal }),
      });
      const { status, progress, error } = answer;
      if (progress.done + progress.failed !== done) onProgress?.(progress);
      done = progress.done + progress.failed;
      if (status === "queued" || status === "running") throw new StillRunning(id);
      if (status === "failed") throw errorOfOperation(error);
      return answer;
    };
    return pRetry(look, {
      retries: Number.POSITIVE_INFINITY,
      minTimeout: 200,
      maxTimeout: 2_000,
      factor: 1.5,
      maxRetryTime: timeoutMs,
      shouldRetry: ({ error }) => error instanceof StillRunning || (error instanceof HearthError && error.isPassing),
      ...(signal === undefined ? {} : { signal }),
    });
  }

  const index = createIndexReader(async (body, signal) => {
    const { response } = await client.request(
      "post",
      "/graphql" as never,
      { body, parseAs: "stream", signal } as never,
    );
    return read(response);
  });

  return {
    ...index,
    get: call("get"),
    post: call("post"),
    put: call("put"),
    patch: call("patch"),
    delete: call("delete"),
    raw: send as HearthClient["raw"],
    items: items as HearthClient["items"],
    operation: operation as HearthClient["operation"],
  };
}

class StillRunning extends Error {
  constructor(id: string) {
    super(`Operation ${id} has not ended within the given time. It continues.`);
    this.name = "StillRunning";
  }
}

async function read(response: Response): Promise<unknown> {
  const text = await response.text();
  const isJson = /^application\/(\S+\+)?json\b/.test(response.headers.get("content-type") ?? "");
  if (text === "") return undefined;
  return isJson ? parseExact(text) : text;
}

type Submitted = { operationId: string; transactionHash: string };

function isSubmitted(answer: unknown): answer is Submitted {
  const { status, operationId } = (answer ?? {}) as { status?: string } & Partial<Submitted>;
  return status === "submitted" && operationId !== undefined;
}
