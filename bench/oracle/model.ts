import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

// A model server for the bench: it sends as many tokens as the last message asks for, at its pace, each with its time
// of sending. It costs far less per token than the tests' scripted model, so that the bench measures the oracle.

type Stream = { response: ServerResponse; left: number; everyMs: number; dueAt: number; ready: boolean };

/** Interval of the timer that sends due tokens, in milliseconds. */
const tickMs = 2;
/** Tokens per write when no pace is requested. */
const burst = 16;
const streams = new Set<Stream>();

const before =
  'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"bench","choices":[{"index":0,"delta":{"content":"';
const after = '"},"finish_reason":null}]}\n\n';
const ending =
  'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"bench","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}\n\ndata: [DONE]\n\n';

/** `<time in hundredths of milliseconds>|`, which the load parses. */
const token = () => `${before}${Math.round((performance.timeOrigin + performance.now()) * 100)}|${after}`;

function write(stream: Stream, count: number): void {
  const { response } = stream;
  for (let i = 0; i < count && stream.left > 0; i++) {
    stream.left -= 1;
    if (!response.write(token())) {
      stream.ready = false;
      response.once("drain", () => {
        stream.ready = true;
      });
      break;
    }
  }
  if (stream.left > 0) return;
  streams.delete(stream);
  response.end(ending);
}

setInterval(() => {
  const now = performance.now();
  for (const stream of streams) {
    if (!stream.ready) continue;
    if (stream.everyMs === 0) write(stream, burst);
    else if (now >= stream.dueAt) {
      // One write for each, because a model sends tokens one by one.
      write(stream, 1);
      stream.dueAt += stream.everyMs;
    }
  }
}, tickMs);

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    const [, count = "1", pace = "0"] =
      /tokens=(\d+) pace=(\d+)(?!.*tokens=)/.exec(Buffer.concat(parts).toString()) ?? [];
    response.writeHead(200, { "content-type": "text/event-stream" });
    const everyMs = Number(pace) === 0 ? 0 : 1_000 / Number(pace);
    const stream = {
      response,
      left: Number(count),
      everyMs,
      dueAt: performance.now() + everyMs * Math.random(),
      ready: true,
    };
    response.once("close", () => streams.delete(stream));
    if (stream.left === 1) write(stream, 1);
    else streams.add(stream);
  });
});
server.listen(0, "127.0.0.1", () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` });
});
