import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { AppError, defineRules } from "../errors.ts";

/** Least bytes of a body in each window. A phone on a weak network sends more. The route then has `graceMs` to answer. */
const defaults = { windowMs: 60_000, leastBytes: 4_096, graceMs: 5_000 };
const bareAnswer = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

type Coming = { request: IncomingMessage; response: ServerResponse; bytes: number; since: number };

/**
 * End requests whose body arrives too slowly, with 408. They would hold a connection without a time limit. The route that reads the body gets
 * the error, and answers in its own form. Where none reads it, the answer has no body.
 */
export function limitSlowBodies(server: Server, options: Partial<typeof defaults> = {}): void {
  const { windowMs, leastBytes, graceMs } = { ...defaults, ...options };
  const coming = new Set<Coming>();
  server.prependListener("request", (request, response) => {
    const { headers, socket } = request;
    if (headers["transfer-encoding"] === undefined && Number(headers["content-length"] ?? 0) === 0) return;
    const body = { request, response, bytes: socket.bytesRead, since: performance.now() };
    coming.add(body);
    const done = () => coming.delete(body);
    request.once("end", done).once("close", done);
  });
  const timer = setInterval(() => {
    for (const body of coming) check(body);
  }, windowMs / 6).unref();
  server.once("close", () => clearInterval(timer));

  const check = (body: Coming) => {
    const { request, response } = body;
    const { bytesRead } = request.socket;
    const came = bytesRead - body.bytes >= leastBytes;
    // Received bytes wait for the route to read them, so the sender is not slow.
    const waits = request.readableLength > 0;
    if (came || waits) Object.assign(body, { bytes: bytesRead, since: performance.now() });
    else if (performance.now() - body.since >= windowMs) {
      coming.delete(body);
      refuse(request, response, graceMs);
    }
  };
}

function refuse(request: IncomingMessage, response: ServerResponse, graceMs: number): void {
  const { socket } = request;
  const end = () => {
    if (!response.headersSent && socket.writable) socket.write(bareAnswer);
    socket.destroySoon();
  };
  if (response.headersSent || request.listenerCount("error") === 0) {
    end();
    return;
  }
  const late = setTimeout(end, graceMs).unref();
  response.once("finish", () => socket.destroySoon());
  socket.once("close", () => clearTimeout(late));
  request.emit("error", tooSlow());
}

const broken = defineRules({ "body-too-slow": ["arrives-in-time", "Its bytes came too slowly."] });

function tooSlow(): AppError {
  return new AppError("REQUEST_TIMEOUT", "The body took too long to arrive. Send it again.", {
    details: [broken("body-too-slow", "body")],
    headers: { Connection: "close" },
  });
}
