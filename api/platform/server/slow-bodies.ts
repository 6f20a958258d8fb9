import type { IncomingMessage, Server, ServerResponse } from "node:http";

/** Least bytes of a body in each window. A phone on a weak network sends more. */
const defaults = { windowMs: 60_000, leastBytes: 4_096 };
const answer = "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

type Coming = { request: IncomingMessage; response: ServerResponse; bytes: number; since: number };

/** End requests whose body arrives too slowly, with 408. They would hold a connection without a time limit. */
export function limitSlowBodies(server: Server, { windowMs, leastBytes } = defaults): void {
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
    else if (performance.now() - body.since >= windowMs) refuse(request, response);
  };
}

function refuse({ socket }: IncomingMessage, response: ServerResponse): void {
  if (!response.headersSent && socket.writable) socket.write(answer);
  socket.destroySoon();
}
