import { offlineError } from "./error.ts";

/** Content to send. `onSent` gets the number of bytes sent so far. */
export type Upload = { content: Blob; onSent: (bytes: number) => void };

/**
 * Send a request with another body and report its progress. Uses XMLHttpRequest, because fetch reports no progress.
 *
 * @throws HearthError with status 0 and code OFFLINE when no answer came; the signal's reason when it aborts
 */
export async function sendWithProgress(request: Request, { content, onSent }: Upload): Promise<Response> {
  const { method, url, headers, signal } = request;
  signal.throwIfAborted();
  return await new Promise<Response>((done, fail) => {
    const sending = new XMLHttpRequest();
    sending.open(method, url);
    sending.responseType = "blob";
    for (const [name, value] of headers) sending.setRequestHeader(name, value);
    const stop = () => sending.abort();
    signal.addEventListener("abort", stop);
    sending.upload.onprogress = ({ loaded }) => onSent(loaded);
    sending.onload = () => done(responseOf(sending));
    sending.onerror = () => fail(offlineError());
    sending.onabort = () => fail(signal.reason);
    sending.onloadend = () => signal.removeEventListener("abort", stop);
    sending.send(content);
  });
}

function responseOf(sent: XMLHttpRequest): Response {
  const lines = sent.getAllResponseHeaders().trim().split("\r\n");
  const headers = lines.map((line): [string, string] => {
    const end = line.indexOf(":");
    return [line.slice(0, end), line.slice(end + 1).trim()];
  });
  const hasBody = ![204, 205, 304].includes(sent.status);
  return new Response(hasBody ? (sent.response as Blob) : null, { status: sent.status, headers });
}
