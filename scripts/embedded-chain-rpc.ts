import { Agent, request } from "node:http";

/** Make one JSON-RPC call; throws RpcError when the node refuses it, the socket's error when it does not answer. */
export type Rpc = <T>(method: string, params?: readonly unknown[]) => Promise<T>;

export class RpcError extends Error {
  readonly code: number;

  constructor(method: string, { code, message }: { code: number; message: string }) {
    super(`${method}: ${message}`);
    this.name = "RpcError";
    this.code = code;
  }
}

/** A JSON-RPC client on kept-alive sockets, without limits of time or size, because a dump of a large state takes long. */
export function connectRpc(port: number): { rpc: Rpc; close: () => void } {
  const agent = new Agent({ keepAlive: true });
  let id = 0;
  const rpc: Rpc = async <T>(method: string, params: readonly unknown[] = []) => {
    id += 1;
    const body = JSON.stringify({ jsonrpc: "2.0", id, method, params });
    const answer = JSON.parse(await post(agent, port, body));
    if (answer.error !== undefined) throw new RpcError(method, answer.error);
    return answer.result as T;
  };
  return { rpc, close: () => agent.destroy() };
}

function post(agent: Agent, port: number, body: string): Promise<string> {
  const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const call = request({ agent, host: "127.0.0.1", port, method: "POST", headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
      response.on("error", reject);
    });
    call.on("error", reject);
    call.end(body);
  });
}
