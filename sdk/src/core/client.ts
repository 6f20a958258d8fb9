import { ApiError } from "./api-error.ts";
import { type Artifacts, type Credentials, headersOf } from "./credentials.ts";
import { logInDevelopment } from "./development.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export type RequestOptions = {
  body?: unknown;
  query?: Record<string, string | number | undefined>;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
};

export type OracleClientOptions = {
  /** Of the oracle's API, with or without a slash at its end. */
  baseUrl: string;
  oracleDid: string;
  credentials: Credentials;
  fetch?: typeof globalThis.fetch;
};

/**
 * Send HTTP requests to one oracle as the user.
 * @example
 * ```ts
 * import { type Credentials, OracleClient } from "@hearth/oracles-client-sdk/core";
 *
 * export async function openAccount(credentials: Credentials) {
 *   const client = new OracleClient({ baseUrl: "http://localhost:3000", oracleDid: "did:key:z6Mk", credentials });
 *   return await client.request<{ user: string }>("GET", "/oracle/account");
 * }
 * ```
 */
export class OracleClient {
  readonly baseUrl: string;
  readonly oracleDid: string;
  readonly #credentials: Credentials;
  readonly #fetch: typeof globalThis.fetch;

  constructor({
    baseUrl,
    oracleDid,
    credentials,
    fetch = (...given) => globalThis.fetch(...given),
  }: OracleClientOptions) {
    this.baseUrl = baseUrl.replace(/\/+$/, "");
    this.oracleDid = oracleDid;
    this.#credentials = credentials;
    this.#fetch = fetch;
  }

  /**
   * Send a request and read its JSON.
   * @param path below the base URL, beginning with a slash; or a full URL
   * @throws ApiError for a refusal, TypeError when the oracle is not reached
   */
  async request<T>(method: Method, path: string, options: RequestOptions = {}): Promise<T> {
    const response = await this.open(method, path, options);
    const text = await response.text();
    return (text === "" ? undefined : JSON.parse(text)) as T;
  }

  /**
   * Send a request; the body is the caller's to read. After a 401 the artifacts are minted anew, once.
   * @throws ApiError unless the answer is a success
   */
  async open(method: Method, path: string, options: RequestOptions = {}): Promise<Response> {
    const first = await this.#send(method, path, options);
    if (first.response.status !== 401 || first.artifacts === undefined) return await answerOf(first.response);
    this.#credentials.refused(this.oracleDid, first.artifacts);
    const second = await this.#send(method, path, options);
    // A second refusal is for the caller; the next request shall not begin with the same.
    if (second.response.status === 401 && second.artifacts !== undefined)
      this.#credentials.refused(this.oracleDid, second.artifacts);
    return await answerOf(second.response);
  }

  async #send(method: Method, path: string, { body, query = {}, headers = {}, signal }: RequestOptions) {
    // Addressed to nobody: what is public.
    const artifacts = this.oracleDid === "" ? undefined : await this.#credentials.artifacts(this.oracleDid);
    if (artifacts !== undefined) this.#postDelegation(artifacts);
    const response = await this.#fetch(this.urlOf(path, query), {
      method,
      headers: { ...(artifacts && headersOf(artifacts)), ...(body === undefined ? {} : json), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    return { response, artifacts };
  }

  /** Beside the request that it was minted for, which carries it itself. */
  #postDelegation(artifacts: Artifacts): void {
    const raw = this.#credentials.takeUnposted(this.oracleDid);
    if (raw === undefined) return;
    const headers = { ...headersOf(artifacts), ...json };
    this.#fetch(this.urlOf("/delegation"), { method: "POST", headers, body: JSON.stringify({ raw }) })
      .then(answerOf)
      .catch((error: unknown) => {
        logInDevelopment("The delegation could not be given to the oracle.", error);
        if (!(error instanceof ApiError)) this.#credentials.putBack(this.oracleDid, raw);
      });
  }

  urlOf(path: string, query: RequestOptions["query"] = {}): string {
    const url = new URL(/^https?:/.test(path) ? path : this.baseUrl + path);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    return url.href;
  }
}

const json = { "content-type": "application/json" };

async function answerOf(response: Response): Promise<Response> {
  if (response.ok) return response;
  throw await ApiError.from(response);
}
