import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export type RpcCall = { id: number; method: string; params: unknown[] };
/** What the proxy does instead of passing the call on: answer an error, an HTTP status or a result, or send another call. */
export type RpcRefusal =
  | { code: number; message: string }
  | { status: number }
  | { result: unknown }
  | { instead: Pick<RpcCall, "method" | "params"> };

export type RpcProxy = {
  url: string;
  /** Every call that came, refused ones included. */
  calls: RpcCall[];
  close(): Promise<void>;
};

/** A JSON-RPC server in front of another, which changes what `judge` says. */
export async function startRpcProxy(
  target: string,
  judge: (call: RpcCall) => RpcRefusal | undefined | Promise<RpcRefusal | undefined>,
): Promise<RpcProxy> {
  const calls: RpcCall[] = [];
  const server = createServer(async (incoming, answer) => {
    const body = await read(incoming);
    // Another test may still look for a server that had this port before.
    if (body === "") return answer.writeHead(400).end();
    const call = JSON.parse(body) as RpcCall;
    calls.push(call);
    const refusal = await judge(call);
    if (refusal === undefined) return forward(target, body, answer);
    if ("instead" in refusal) return forward(target, JSON.stringify({ ...call, ...refusal.instead }), answer);
    if ("status" in refusal) return answer.writeHead(refusal.status, { "content-type": "text/plain" }).end("refused");
    answer.writeHead(200, { "content-type": "application/json" });
    const outcome = "result" in refusal ? refusal : { error: refusal };
    answer.end(JSON.stringify({ jsonrpc: "2.0", id: call.id, ...outcome }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url: `http://127.0.0.1:${port}`, calls, close };
}

async function read(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

function forward(target: string, body: string, answer: ServerResponse): void {
  const onward = request(target, { method: "POST", headers: { "content-type": "application/json" } }, (response) => {
    answer.writeHead(response.statusCode ?? 500, { "content-type": "application/json" });
    response.pipe(answer);
  });
  onward.on("error", () => answer.destroy());
  onward.end(body);
}
