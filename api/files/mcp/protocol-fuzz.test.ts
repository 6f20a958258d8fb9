import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { generate, type Schema } from "../../../test/e2e/fuzz/generate.ts";
import { mutateBody, mutateTree, write } from "../../../test/e2e/fuzz/mutate.ts";
import { createRandom, type Random } from "../../../test/e2e/fuzz/random.ts";
import { openTestHttp, type TestHttp } from "../../../test/support/files/http.ts";
import { tools } from "./server.ts";

const long = process.env.HEARTH_LONG === "1";
const count = long ? 10_000 : 1_000;
const seed = Number(process.env.FUZZ_SEED ?? (long ? Date.now() % 2 ** 31 : 20_261_123));

let http: TestHttp;
let known: Record<string, string[]>;
let bearers: string[];
before(async () => {
  http = await openTestHttp();
  const cids: string[] = [];
  for (const path of ["/a.txt", "/a/b.txt", "/docs/c.md"]) {
    cids.push((await (await http.fs("POST", `/files?path=${path}`, { body: `text of ${path}` })).json()).cid);
  }
  const path = ["/a.txt", "/a/b.txt", "/docs/c.md", "/docs", "/", "/.dot", "/new/x", "/..", "/\u202e"];
  known = { path, destinationPath: path, cid: cids, q: ["text", "(", "*"], pattern: ["/**", "[", "{a,b"] };
  known.cursor = ["", "bm9uZQ", "WyIvYSJd", "WyIvYSIsIiJd"];
  const whole = await http.bearer({ nb: { hidden: "*" } });
  const scoped = [http.bearer({ abilities: ["fs/read"], path: "/a" }), http.bearer({ nb: { cids } })];
  bearers = [...Array.from({ length: 8 }, () => whole), ...(await Promise.all(scoped)), "", "Bearer x"];
});
after(() => http?.close());

const otherMethods = ["initialize", "ping", "tools/list", "notifications/initialized", "notifications/cancelled"];
const unknownMethods = [
  "resources/read",
  "prompts/get",
  "completion/complete",
  "logging/setLevel",
  "tasks/get",
  "__proto__",
];

/** A message of the protocol, before anything is broken in it. */
function messageOf(random: Random): Record<string, unknown> {
  const id = random.pick<unknown>([1, "one", 0, -1, 2 ** 53, ""]);
  if (random.chance(0.8)) {
    const tool = random.pick([...tools]);
    const input = generate(tool.inputSchema as Schema, "arguments", { random, known, components: {} });
    const meta = random.chance(0.2) ? { _meta: { runId: "run", toolCallId: "call", progressToken: 1 } } : {};
    return { jsonrpc: "2.0", id, method: "tools/call", params: { name: tool.name, arguments: input, ...meta } };
  }
  const client = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "fuzz", version: "1" } };
  return { jsonrpc: "2.0", id, method: random.pick([...otherMethods, ...unknownMethods]), params: client };
}

function headersOf(random: Random): Record<string, string> {
  const authorization = random.pick(bearers);
  const maybe = (name: string, values: string[]) => (random.chance(0.1) ? { [name]: random.pick(values) } : {});
  return {
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    ...(authorization === "" ? {} : { authorization }),
    ...maybe("content-type", ["text/plain", "application/json; charset=utf-16", ";"]),
    ...maybe("accept", ["*/*", "text/html", "application/json", ""]),
    ...maybe("mcp-protocol-version", ["2025-11-25", "1999-01-01", "x".repeat(300)]),
    ...maybe("mcp-session-id", ["", "x"]),
    ...maybe("origin", ["null", "http://evil.example", "http://localhost"]),
    ...maybe("last-event-id", ["1", "x"]),
  };
}

type RpcAnswer = {
  result?: { isError?: boolean; structuredContent?: { status?: number } };
  error?: { code: number; message: string };
};
const internalError = -32_603;

test(`answers ${count} mutated messages without a server error`, async (t) => {
  t.diagnostic(`FUZZ_SEED=${seed}`);
  const random = createRandom(seed);
  const statuses = new Map<number, number>();
  let results = 0;
  for (let i = 1; i <= count; i++) {
    const message = messageOf(random);
    for (let times = random.below(3); times > 0; times--) mutateTree(message, random);
    const text = write(message);
    const body = random.chance(0.15) ? mutateBody(text, random) : text;
    const headers = headersOf(random);
    const shown = `message ${i}: ${JSON.stringify(headers).slice(0, 200)} ${text.slice(0, 500)}`;
    const answer = await http.app.request("/mcp", { method: "POST", headers, body: body as BodyInit });
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    const said = await answer.text();
    assert.ok(answer.status < 500, `${answer.status} for ${shown}: ${said}`);
    if (said === "") continue;
    const { result, error } = JSON.parse(said) as RpcAnswer;
    assert.notEqual(error?.code, internalError, `${shown}: ${said}`);
    if (result?.isError) assert.ok((result.structuredContent?.status ?? 500) < 500, `${shown}: ${said}`);
    if (result !== undefined) results += 1;
  }
  t.diagnostic(`answers: ${JSON.stringify(Object.fromEntries([...statuses].sort(([a], [b]) => a - b)))}`);
  assert.ok(results > count / 10, `only ${results} messages reached a tool`);
});
