import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** One thing that a scripted model does while it answers. */
export type Act =
  | { text: string | string[]; delayMs?: number }
  | { reasoning: string }
  /** Complete calls, sent in two pieces each; several are parallel calls of one step. */
  | { calls: { id?: string; name: string; args: unknown }[] }
  /** Arguments sent as they are: for JSON that is none. */
  | { rawCall: { id?: string; name: string; args: string } }
  /** A further piece of that call's arguments. */
  | { rawArgs: string }
  | { waitMs: number }
  /** Continues when this is settled, for a test that checks the state until then. */
  | { until: Promise<unknown> }
  /** A malformed chunk. */
  | { raw: string }
  /** The connection breaks here. */
  | { disconnect: true }
  /** Instead of a stream: an answer with this status. */
  | { status: number; body: unknown };

export type ModelRequest = {
  model: string;
  messages: { role: string; content?: unknown; tool_calls?: unknown; tool_call_id?: string }[];
  tools?: { type: "function"; function: { name: string; description?: string; parameters: unknown } }[];
  stream?: boolean;
};

/** What the model does at a request; the n-th request of the server is `turn` n, from 0. */
export type Script = (request: ModelRequest, turn: number) => Act[] | Promise<Act[]>;

export type ModelServer = {
  /** For LLM_BASE_URL. */
  url: string;
  /** Every request so far, as it came. */
  requests: ModelRequest[];
  /** Requests whose client went away before the answer's end. */
  aborted: number;
  /** From now on. */
  script: Script;
  close: () => Promise<void>;
};

/**
 * A model server that speaks the OpenAI-compatible chat protocol over real HTTP and says what a script tells it: a fake of
 * the language model, and of nothing else.
 */
export async function startModelServer(script: Script): Promise<ModelServer> {
  const model: ModelServer = { url: "", requests: [], aborted: 0, script, close: async () => {} };
  const server = createServer((request, response) => {
    answer(model, request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  model.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  model.close = () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return model;
}

async function answer(model: ModelServer, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  const asked = JSON.parse(Buffer.concat(parts).toString()) as ModelRequest;
  const turn = model.requests.push(asked) - 1;
  response.on("close", () => {
    if (!response.writableEnded) model.aborted += 1;
  });
  const acts = await model.script(asked, turn);
  const refusal = acts.find((act) => "status" in act);
  if (refusal !== undefined) {
    response.writeHead(refusal.status, { "content-type": "application/json" }).end(JSON.stringify(refusal.body));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const finish = acts.some((act) => "calls" in act || "rawCall" in act) ? "tool_calls" : "stop";
  for (const act of acts) if (!(await perform(response, asked.model, act))) return;
  send(response, asked.model, {}, finish);
  response.end("data: [DONE]\n\n");
}

/** False when the connection is gone. */
async function perform(response: ServerResponse, model: string, act: Act): Promise<boolean> {
  if ("text" in act) return await say(response, model, act);
  if ("reasoning" in act) send(response, model, { reasoning_content: act.reasoning });
  if ("calls" in act) for (const [index, call] of act.calls.entries()) sendCall(response, model, index, call);
  if ("rawCall" in act) sendRawCall(response, model, 0, act.rawCall);
  if ("rawArgs" in act) sendRawArgs(response, model, 0, act.rawArgs);
  if ("waitMs" in act) await Promise.race([sleep(act.waitMs, undefined, { ref: false }), once(response, "close")]);
  if ("until" in act) await Promise.race([act.until, once(response, "close")]);
  if ("raw" in act) response.write(`data: ${act.raw}\n\n`);
  if ("disconnect" in act) response.destroy();
  return !response.destroyed;
}

async function say(
  response: ServerResponse,
  model: string,
  { text, delayMs }: { text: string | string[]; delayMs?: number },
): Promise<boolean> {
  for (const content of typeof text === "string" ? [text] : text) {
    if (response.destroyed) return false;
    if (!send(response, model, { content })) await drained(response);
    if (delayMs !== undefined) await sleep(delayMs);
  }
  return !response.destroyed;
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once("drain", resolve);
    response.once("close", resolve);
  });
}

let calls = 0;
const callId = () => `call_${++calls}`;

function sendCall(
  response: ServerResponse,
  model: string,
  index: number,
  { id = callId(), name, args }: { id?: string; name: string; args: unknown },
): void {
  const text = JSON.stringify(args);
  const half = Math.ceil(text.length / 2);
  sendRawCall(response, model, index, { id, name, args: text.slice(0, half) });
  sendRawArgs(response, model, index, text.slice(half));
}

function sendRawArgs(response: ServerResponse, model: string, index: number, args: string): void {
  send(response, model, { tool_calls: [{ index, function: { arguments: args } }] });
}

function sendRawCall(
  response: ServerResponse,
  model: string,
  index: number,
  { id = callId(), name, args }: { id?: string; name: string; args: string },
): void {
  send(response, model, { tool_calls: [{ index, id, type: "function", function: { name, arguments: args } }] });
}

function send(response: ServerResponse, model: string, delta: object, finish: string | null = null): boolean {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  const chunk = { id: "chatcmpl-1", object: "chat.completion.chunk", created: 1_700_000_000, model, choices };
  return response.write(`data: ${JSON.stringify(chunk)}\n\n`);
}
