import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** A stream to open: address, headers and message. */
export type Target = { url: string; headers: Record<string, string>; body: string };
/** `rampMs`: streams start one after the other over this time; lag and gaps are measured after it. */
export type LoadOrder = { targets: Target[]; atOnce: number; rampMs?: number };
export type StreamResult = {
  tokens: number;
  ms: number;
  lag: number[];
  gaps: number[];
  first: number[];
  failures: number;
  failure?: string;
};

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
const now = () => performance.timeOrigin + performance.now();
const stamp = /(\d{15,})\|/g;

async function open({ url, headers, body }: Target, into: StreamResult, from: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const began = performance.now();
    let last = 0;
    let rest = "";
    const failed = (why: string) => {
      into.failures += 1;
      into.failure ??= why;
      resolve();
    };
    const sent = request(
      url,
      { method: "POST", agent, headers: { "content-type": "application/json", ...headers } },
      (answer) => {
        if (answer.statusCode !== 200) failed(`status ${answer.statusCode}`);
        answer.setEncoding("utf8");
        answer.on("data", (text: string) => {
          rest += text;
          const at = now();
          let end = 0;
          let newest = 0;
          for (const match of rest.matchAll(stamp)) {
            into.tokens += 1;
            newest = Number(match[1]) / 100;
            if (at >= from) into.lag.push(at - newest);
            end = match.index + match[0].length;
          }
          rest = rest.slice(Math.max(end, rest.length - 40));
          if (newest === 0) return;
          if (last === 0) into.first.push(performance.now() - began);
          else if (last >= from) into.gaps.push(at - last);
          last = at;
        });
        answer.on("end", resolve);
        answer.on("error", (error) => failed(error.message));
      },
    );
    sent.on("error", (error) => failed(error.message));
    sent.end(body);
  });
}

process.on("message", async ({ targets, atOnce, rampMs = 0 }: LoadOrder) => {
  const result: StreamResult = { tokens: 0, ms: 0, lag: [], gaps: [], first: [], failures: 0 };
  const began = performance.now();
  const from = now() + rampMs;
  const waiting = [...targets];
  const worker = async (_: unknown, index: number) => {
    await sleep((index * rampMs) / atOnce);
    for (let target = waiting.shift(); target !== undefined; target = waiting.shift()) await open(target, result, from);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  result.ms = performance.now() - began;
  process.send?.(result);
});
