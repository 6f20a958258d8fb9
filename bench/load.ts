import { Agent, request } from "node:http";

/** A closed loop of callers: each sends its next request when the last is answered. It runs in a separate process. */
export type LoadOrder = {
  url: string;
  path: string;
  key: string;
  callers: number;
  seconds: number;
  /** Request bodies, used in order; the list starts over at its end. */
  bodies: string[];
  /** Use each body once: the load ends with the list at the latest. */
  once?: boolean;
};

export type LoadResult = {
  answered: number;
  /** Number of answers by status. */
  statuses: Record<string, number>;
  /** Body of the first answer that was not 2xx. */
  firstRefusal?: string;
  seconds: number;
  /** Milliseconds of each answered request. */
  latencies: number[];
};

type Answer = { status: number; body: string };

async function post(order: LoadOrder, agent: Agent, body: string): Promise<Answer> {
  const { hostname, port } = new URL(order.url);
  const headers = {
    authorization: `Bearer ${order.key}`,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  };
  return await new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path: order.path, method: "POST", agent, headers }, (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(parts).toString() }));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

export async function runLoad(order: LoadOrder): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: order.callers });
  const result: LoadResult = { answered: 0, statuses: {}, seconds: 0, latencies: [] };
  const begin = performance.now();
  const end = begin + order.seconds * 1000;
  let next = 0;
  const caller = async () => {
    while (performance.now() < end && !(order.once && next >= order.bodies.length)) {
      const sentAt = performance.now();
      const { status, body } = await post(order, agent, order.bodies[next++ % order.bodies.length] ?? "");
      result.latencies.push(performance.now() - sentAt);
      result.statuses[status] = (result.statuses[status] ?? 0) + 1;
      if (status >= 200 && status < 300) result.answered++;
      else result.firstRefusal ??= body;
    }
  };
  await Promise.all(Array.from({ length: order.callers }, caller));
  result.seconds = (performance.now() - begin) / 1000;
  agent.destroy();
  return result;
}

if (import.meta.main) {
  process.once("message", async (order: LoadOrder) => {
    process.send?.(await runLoad(order), () => process.exit(0));
  });
}
