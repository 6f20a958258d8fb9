import pRetry from "p-retry";
import { errorOf, HearthError } from "./errors.ts";
import type { ProofKey } from "./proof.ts";

export type SendOptions = {
  /** API key, `hk_…`; without one, only public routes can be called. */
  key?: string;
  /** Proof key of the API key; required for a supplier's key. */
  proofKey?: ProofKey;
  /** Most retries of a request. Default 4. */
  retries?: number;
  /** Sends a request. Default: the global fetch. */
  fetch?: (request: Request) => Promise<Response>;
};

/**
 * Make the function that sends a request: it signs it, and retries while the error may pass. Writes are retried too:
 * they have an Idempotency-Key, so the API carries them out once.
 *
 * @throws HearthError
 */
export function createSend(options: SendOptions & { baseUrl: string }): (request: Request) => Promise<Response> {
  const { baseUrl, key, proofKey, retries = 4, fetch: reach = (request) => fetch(request) } = options;
  const keyed = `${baseUrl.replace(/\/$/, "")}/v1/`;
  /** How far the server's clock is ahead, in milliseconds. A proof dated by a wrong clock is refused. */
  let ahead = 0;

  const once = async (original: Request): Promise<Response> => {
    const request = original.clone();
    // The key is only for /v1: the file store and public paths must not see it.
    if (key !== undefined && request.url.startsWith(keyed)) {
      request.headers.set("authorization", `${proofKey === undefined ? "Bearer" : "DPoP"} ${key}`);
      const target = { key, method: request.method, url: new URL(request.url), now: Date.now() + ahead };
      if (proofKey !== undefined) {
        const { proofOf } = await import("./proof.ts");
        request.headers.set("dpop", await proofOf(proofKey, target));
      }
    }
    return reach(request).catch((cause) => {
      if (request.signal.aborted || cause instanceof HearthError) throw cause;
      throw new HearthError({ status: 0, code: "OFFLINE", message: "No answer came.", cause });
    });
  };

  const attempt = async (request: Request): Promise<Response> => {
    let response = await once(request);
    if (response.status === 401 && proofKey !== undefined && noteClock(response)) response = await once(request);
    if (!response.ok) throw await errorOf(response);
    return response;
  };

  /** Whether the server's clock differs from the known difference by more than rounding to seconds. */
  function noteClock(response: Response): boolean {
    const date = Date.parse(response.headers.get("date") ?? "");
    if (Number.isNaN(date)) return false;
    const before = ahead;
    ahead = date - Date.now();
    return Math.abs(ahead - before) > 2_000;
  }

  return (request: Request): Promise<Response> =>
    pRetry(() => attempt(request), {
      retries: isRepeatable(request) ? retries : 0,
      minTimeout: 250,
      maxTimeout: 4_000,
      randomize: true,
      signal: request.signal,
      shouldRetry: ({ error }) => error instanceof HearthError && error.isPassing,
      onFailedAttempt: ({ error }) =>
        error instanceof HearthError ? pause(error.retryAfterMs, request.signal) : undefined,
    });
}

/** Whether a request can safely be sent twice. */
function isRepeatable({ method, headers, url }: Request): boolean {
  return method === "GET" || headers.has("idempotency-key") || url.endsWith("/graphql");
}

/** Wait as long as the server asks, or until the signal aborts. */
async function pause(milliseconds = 0, signal: AbortSignal): Promise<void> {
  if (milliseconds === 0) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
