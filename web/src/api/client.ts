import { createClient, type HearthClient } from "../../../wire/src/client.ts";
import { errorOf, HearthError } from "../../../wire/src/errors.ts";
import { type ApiKey, clearKey, session } from "../session/session.ts";
import { sendWithProgress, type Upload } from "./send-with-progress.ts";
import { noteServerTime } from "./server-time.ts";

type Key = Pick<ApiKey, "token" | "proof">;
type ClientOptions = {
  /** Key to send instead of the session's; null: send none. */
  key?: Key | null;
  /** Body to send with progress reports. */
  upload?: Upload;
};

/**
 * Create a client of this server. It sends each request once: React Query repeats reads, a person repeats writes.
 * Calls throw HearthError, with status 0 and code OFFLINE when no answer came.
 */
export function clientWith({ key, upload }: ClientOptions): HearthClient {
  const send = (request: Request) => sendWithKey(request, key === undefined ? session().key : key, upload);
  return createClient({ baseUrl: window.location.origin, retries: 0, fetch: send });
}

/** The client with the session's key. */
export const hearth = clientWith({});

/** Send a request as given. `upload` replaces its body and reports progress. */
export async function sendRequest(request: Request, upload?: Upload): Promise<Response> {
  return await (upload === undefined
    ? fetch(request, { referrerPolicy: "same-origin" })
    : sendWithProgress(request, upload));
}

async function sendWithKey(request: Request, key: Key | null | undefined, upload?: Upload): Promise<Response> {
  // Only /v1 gets the key: public routes and routes with other tokens must not see it.
  if (!key || !new URL(request.url).pathname.startsWith("/v1/")) {
    const response = await sendRequest(request, upload);
    noteServerTime(response);
    return response;
  }
  const again = key.proof === undefined ? undefined : request.clone();
  let response = await sendRequest(await withKey(request, key), upload);
  // The proof had a wrong date because of this device's clock: sign again with the server's time.
  const clockWasWrong = noteServerTime(response);
  if (clockWasWrong && response.status === 401 && again !== undefined) {
    response = await sendRequest(await withKey(again, key), upload);
  }
  if (response.status === 401 && (await errorOf(response.clone())).code === "UNAUTHENTICATED") clearKey(key.token);
  return response;
}

async function withKey(request: Request, { token, proof }: Key): Promise<Request> {
  if (proof === undefined) {
    request.headers.set("authorization", `Bearer ${token}`);
    return request;
  }
  const { provePossession } = await import("../session/proof.ts");
  const dpop = await provePossession(proof, { token, method: request.method, url: new URL(request.url) });
  if (dpop === undefined) {
    // The browser's site data was deleted with the proof key, so the token cannot be used any more.
    clearKey(token);
    throw new HearthError({ status: 401, code: "UNAUTHENTICATED", message: "" });
  }
  request.headers.set("authorization", `DPoP ${token}`);
  request.headers.set("dpop", dpop);
  return request;
}
