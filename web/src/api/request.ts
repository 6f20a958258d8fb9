import { type ApiKey, clearKey, session } from "../session/session.ts";
import { ApiError, errorOf } from "./error.ts";
import { parseExact, stringifyExact } from "./numbers.ts";
import { sendBody } from "./send-body.ts";
import { noteServerTime } from "./server-time.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export type RequestOptions = {
  /** Sent as JSON; numbers made by `exact` keep their digits. A string or Blob is sent as it is, with `contentType`. */
  body?: unknown;
  contentType?: string;
  /** Undefined and empty values are left out. */
  query?: Record<string, string | number | undefined>;
  /** Makes a write safe to repeat: the same key and body give the first answer again. */
  idempotencyKey?: string;
  signal?: AbortSignal | undefined;
  headers?: Record<string, string>;
  /** True: sent without the session's key. */
  anonymous?: boolean;
  /** Told how much of a long body has left, in bytes. */
  onSent?: ((bytes: number) => void) | undefined;
  /** Sent with this key in place of the session's. */
  key?: Pick<ApiKey, "token" | "proof">;
};

/**
 * One request to the API with the session's key (and its proof of possession). Numbers that are not small whole ones come as text.
 * @throws ApiError with every violated rule; status 0 and code OFFLINE when no answer came
 */
export async function request<T>(method: Method, path: string, options: RequestOptions = {}): Promise<T> {
  const answer = await send(method, path, options);
  const text = await answer.text();
  return (text === "" ? undefined : parseExact(text)) as T;
}

/** The same, for answers that are no JSON. @throws ApiError */
export async function send(method: Method, path: string, options: RequestOptions = {}): Promise<Response> {
  const url = new URL(path, window.location.origin);
  for (const [name, value] of Object.entries(options.query ?? {})) {
    if (value !== undefined && value !== "") url.searchParams.set(name, String(value));
  }
  const key = options.anonymous ? undefined : (options.key ?? session().key);
  const isKeyed = key !== undefined && url.pathname.startsWith("/v1/");
  const attempt = async () => {
    // The key is for /v1; what is public, and what takes other tokens, never sees it.
    const authority = isKeyed ? await authorization(key, method, url) : {};
    const headers = { ...options.headers, ...authority, ...bodyHeaders(options) };
    const { signal = null, onSent } = options;
    const sending = { method, headers, body: bodyOf(options), signal };
    return onSent === undefined ? await reach(url, sending) : await sendBody(url, { ...sending, onSent });
  };
  let answer = await attempt();
  // A proof that was dated by a wrong clock is made anew, by the clock that refused it.
  const isClockNews = noteServerTime(answer);
  if (isClockNews && answer.status === 401 && isKeyed && key.proof !== undefined) answer = await attempt();
  if (answer.ok) return answer;
  const error = await errorOf(answer);
  if (error.code === "UNAUTHENTICATED" && isKeyed) clearKey(key.token);
  throw error;
}

async function reach(url: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(url, { ...init, referrerPolicy: "same-origin" });
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    throw new ApiError({ status: 0, code: "OFFLINE", message: "" });
  }
}

async function authorization(
  { token, proof }: Pick<ApiKey, "token" | "proof">,
  method: Method,
  url: URL,
): Promise<Record<string, string>> {
  if (proof === undefined) return { authorization: `Bearer ${token}` };
  const { provePossession } = await import("../session/proof.ts");
  const dpop = await provePossession(proof, { token, method, url });
  if (dpop !== undefined) return { authorization: `DPoP ${token}`, dpop };
  // Site data was cleared: the token is of no use any more.
  clearKey(token);
  throw new ApiError({ status: 401, code: "UNAUTHENTICATED", message: "" });
}

function bodyHeaders({ body, contentType, idempotencyKey }: RequestOptions): Record<string, string> {
  return {
    ...(body === undefined ? {} : { "content-type": contentType ?? "application/json" }),
    ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
  };
}

function bodyOf({ body, contentType }: RequestOptions): BodyInit | null {
  if (body === undefined) return null;
  return contentType === undefined ? stringifyExact(body) : (body as BodyInit);
}
