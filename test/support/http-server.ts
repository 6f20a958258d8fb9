import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type TestServer = {
  url: string;
  port: number;
  /** What the server answers, by path; anything else is 404. */
  answers: Map<string, (request: IncomingMessage, response: ServerResponse) => void>;
  /** Paths asked for, in order. */
  asked: string[];
  /** Answer a path with this body from now on. */
  serve(path: string, body: string | Buffer | object, status?: number, headers?: Record<string, string>): string;
  close(): Promise<void>;
};

/** Start a real HTTP server on a free port of 127.0.0.1. */
export async function startTestServer(): Promise<TestServer> {
  const answers: TestServer["answers"] = new Map();
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    asked.push(path);
    const answer = answers.get(path);
    if (answer) return answer(request, response);
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    port,
    answers,
    asked,
    serve(path, body, status = 200, headers = {}) {
      const bytes = typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
      answers.set(path, (_, response) => response.writeHead(status, headers).end(bytes));
      return `${url}${path}`;
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
