import { ApiError } from "./error.ts";

/** What is sent, as `fetch` takes it, and who is told how much of the body has left, in bytes. */
export type Sending = {
  method: string;
  headers: Record<string, string>;
  body: BodyInit | null;
  signal: AbortSignal | null;
  onSent: (bytes: number) => void;
};

/**
 * One request whose body is long enough to be watched. XMLHttpRequest, because fetch does not tell how far an upload is.
 * @throws ApiError with status 0 and code OFFLINE when no answer came; the signal's reason
 */
export async function sendBody(url: URL, { method, headers, body, signal, onSent }: Sending): Promise<Response> {
  signal?.throwIfAborted();
  return await new Promise<Response>((done, fail) => {
    const request = new XMLHttpRequest();
    request.open(method, url);
    request.responseType = "blob";
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    const stop = () => request.abort();
    signal?.addEventListener("abort", stop);
    request.upload.onprogress = ({ loaded }) => onSent(loaded);
    request.onload = () => done(answerOf(request));
    request.onerror = () => fail(new ApiError({ status: 0, code: "OFFLINE", message: "" }));
    request.onabort = () => fail(signal?.reason);
    request.onloadend = () => signal?.removeEventListener("abort", stop);
    request.send(body as XMLHttpRequestBodyInit | null);
  });
}

function answerOf(request: XMLHttpRequest): Response {
  const lines = request.getAllResponseHeaders().trim().split("\r\n");
  const headers = lines.map((line): [string, string] => {
    const end = line.indexOf(":");
    return [line.slice(0, end), line.slice(end + 1).trim()];
  });
  const hasBody = ![204, 205, 304].includes(request.status);
  return new Response(hasBody ? (request.response as Blob) : null, { status: request.status, headers });
}
