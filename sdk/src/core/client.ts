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
  /** Base URL of the oracle's API, with or without a trailing slash. */
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
   * Send a request and return the JSON of its response.
   * @param path relative to the base URL, with a leading slash; or a full URL
   * @throws ApiError when the oracle refuses, TypeError when the network fails
   */
  async request<T>(method: Method, path: string, options: RequestOptions = {}): Promise<T> {
    const response = await this.open(method, path, options);
    const text = await response.text();
    return (text === "" ? undefined : JSON.parse(text)) as T;
  }

  /**
   * Send a request and return the response with its body unread. After a 401, mint new tokens and retry once.
   * @throws ApiError when the oracle refuses, TypeError when the network fails
   */
  async open(method: Method, path: string, options: RequestOptions = {}): Promise<Response> {
    const first = await this.#send(method, path, options);
    if (first.response.status !== 401 || first.artifacts === undefined) return await requireOk(first.response);
    this.#credentials.refused(this.oracleDid, first.artifacts);
    const second = await this.#send(method, path, options);
    // The caller gets the second refusal, but the next request must not reuse these tokens.
    if (second.response.status === 401 && second.artifacts !== undefined)
      this.#credentials.refused(this.oracleDid, second.artifacts);
    return await requireOk(second.response);
  }

  async #send(method: Method, path: string, { body, query = {}, headers = {}, signal }: RequestOptions) {
    // Without an oracle DID the request is public.
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

  /** Post a new delegation to the oracle, in parallel with the request that it was minted for. */
  #postDelegation(artifacts: Artifacts): void {
    const raw = this.#credentials.takeUnposted(this.oracleDid);
    if (raw === undefined) return;
    const headers = { ...headersOf(artifacts), ...json };
    this.#fetch(this.urlOf("/delegation"), { method: "POST", headers, body: JSON.stringify({ raw }) })
      .then(requireOk)
      .catch((error: unknown) => {
        logInDevelopment("Posting the delegation to the oracle failed.", error);
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

async function requireOk(response: Response): Promise<Response> {
  if (response.ok) return response;
  throw await ApiError.from(response);
}
