import { setTimeout as sleep } from "node:timers/promises";
import type { ProofKey } from "./credentials.ts";

export type Answer = { status: number; body: Record<string, unknown> };
export type Caller = { name: string; key: string; proof?: ProofKey };
export type Call = {
  as: Caller;
  /** An object is sent as JSON; a text as it is, without a content type of JSON. */
  body?: object | string;
  contentType?: string;
  /** Expected statuses besides 2xx. */
  expect?: number[];
  /** True for repeated polls, which are not printed. */
  quiet?: boolean;
};

const strong = (text: string) => (process.stdout.isTTY ? `\u001b[1m${text}\u001b[0m` : text);
const faint = (text: string) => (process.stdout.isTTY ? `\u001b[2m${text}\u001b[0m` : text);

/** Long lists and long words shortened for the eye; what is sent and received stays whole. */
function shorten(value: unknown): unknown {
  if (typeof value === "string")
    return value.length > 96 ? `${value.slice(0, 80)}… (${value.length} characters)` : value;
  if (Array.isArray(value)) {
    const shown = value.slice(0, 2).map(shorten);
    return value.length > 3 ? [...shown, `… ${value.length - 2} more`] : value.map(shorten);
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shorten(each)]));
}

function lines(arrow: string, value: unknown): string[] {
  const text = typeof value === "string" ? value : JSON.stringify(shorten(value), null, 2);
  const all = text.trimEnd().split("\n");
  const shown = all.length > 60 ? [...all.slice(0, 58), `… ${all.length - 58} more lines`] : all;
  return shown.map((line, index) => `  ${index === 0 ? arrow : " "} ${line}`);
}

/** Tells the story: makes each request; with `isVerbose`, prints it with its answer and transaction, otherwise one line a step. */
export class Narrator {
  readonly apiUrl: string;
  private readonly isVerbose: boolean;
  private steps = 0;

  constructor(apiUrl: string, options: { isVerbose: boolean }) {
    this.apiUrl = apiUrl;
    this.isVerbose = options.isVerbose;
  }

  step(title: string, ...why: string[]): void {
    this.steps += 1;
    console.log(`${this.isVerbose ? "\n" : ""}${strong(`${this.steps}. ${title}`)}`);
    this.detail(...why);
  }

  note(line: string): void {
    this.detail(`  ${line}`);
  }

  private detail(...shown: string[]): void {
    if (this.isVerbose) for (const line of shown) console.log(line);
  }

  /** @throws when the answer is neither 2xx nor expected */
  async call(
    method: string,
    path: string,
    { as, body, contentType, expect = [], quiet = false }: Call,
  ): Promise<Answer> {
    const url = path.startsWith("http") ? path : `${this.apiUrl}${path}`;
    const headers: Record<string, string> = { authorization: `Bearer ${as.key}` };
    if (as.proof !== undefined) headers.dpop = await as.proof.prove(method, url, as.key);
    if (body !== undefined)
      headers["content-type"] = contentType ?? (typeof body === "string" ? "text/plain" : "application/json");
    const payload = typeof body === "object" ? JSON.stringify(body) : body;
    if (!quiet) this.detail(`\n${strong(`${method} ${path}`)} ${faint(`as ${as.name}`)}`);
    if (!quiet && body !== undefined) this.detail(...lines("→", typeof body === "string" ? firstLines(body) : body));
    const began = performance.now();
    const response = await fetch(url, { method, headers, ...(payload === undefined ? {} : { body: payload }) });
    const answer = { status: response.status, body: (await response.json()) as Record<string, unknown> };
    const known = response.ok || expect.includes(response.status);
    if (!quiet) {
      const took = faint(`in ${Math.round(performance.now() - began)} ms`);
      this.detail(`  ${strong(String(response.status))} ${took}`, ...lines("←", answer.body));
      this.transaction(answer.body);
    }
    if (!known) {
      const told = JSON.stringify(answer.body);
      throw new Error(`${method} ${path} answered ${response.status}, so the demo ends here: ${told}`);
    }
    return answer;
  }

  /** Follow a 202's operation to its end. */
  async follow(started: Answer, as: Caller): Promise<void> {
    const url = String(started.body.url);
    for (;;) {
      const { body } = await this.call("GET", url, { as, quiet: true });
      if (body.status === "queued" || body.status === "running") {
        await sleep(250);
        continue;
      }
      this.detail(`\n${strong(`GET ${url}`)}`, ...lines("←", body));
      if (body.status !== "succeeded") throw new Error(`The operation ended as ${body.status}.`);
      return;
    }
  }

  /** Ask again until `found` picks something from the answer: the indexer follows the chain by a moment. */
  async until<T>(path: string, as: Caller, found: (body: Record<string, unknown>) => T | undefined): Promise<T> {
    for (let waited = 0; waited < 30_000; waited += 200) {
      const { body } = await this.call("GET", path, { as, quiet: true, expect: [404, 503] });
      const value = found(body);
      if (value !== undefined) {
        this.detail(`\n${strong(`GET ${path}`)} ${faint(`as ${as.name}`)}`, ...lines("←", body));
        return value;
      }
      await sleep(200);
    }
    throw new Error(`GET ${path} did not show what it should within 30 s.`);
  }

  private transaction(body: Record<string, unknown>): void {
    if (typeof body.transactionHash !== "string") return;
    const block = typeof body.blockNumber === "number" ? ` in block ${body.blockNumber}` : "";
    this.detail(`  transaction ${body.transactionHash}${block}`);
  }
}

function firstLines(text: string): string {
  const lines = text.trimEnd().split("\n");
  return lines.length <= 4 ? text : [...lines.slice(0, 3), `… ${lines.length - 3} more rows`].join("\n");
}
