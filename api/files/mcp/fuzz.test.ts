import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import fc from "fast-check";
import { openTestHttp, type TestHttp } from "../../../test/support/files/http.ts";
import { tools } from "./server.ts";

const runs = process.env.HEARTH_LONG === "1" ? 20_000 : 500;

let http: TestHttp;
let authorization: string;
before(async () => {
  http = await openTestHttp();
  authorization = await http.bearer({ nb: { hidden: "*" } });
});
after(() => http.close());

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom("/", "/a", "/a/b.txt", "", "\ud800", "bafkrei", "[", "**", "(", "\\", "eyJ9", "/..", "YQ=="),
);
const anything = fc.oneof(
  { weight: 5, arbitrary: text },
  { weight: 2, arbitrary: fc.oneof(fc.integer({ min: -2, max: 6 }), fc.double(), fc.constant(2 ** 31)) },
  { weight: 1, arbitrary: fc.oneof(fc.boolean(), fc.constant(null), fc.jsonValue()) },
);
const path = fc.constantFrom("/", "/a", "/a/b.txt", "/a/.h", "/é");
const number = fc.integer({ min: 1, max: 4 });
const flag = fc.boolean();
/** What a field may well hold, so that calls come further than their schema. */
const likely: Record<string, fc.Arbitrary<unknown>> = {
  path,
  destinationPath: path,
  version: number,
  from: number,
  to: number,
  offset: number,
  limit: number,
  hidden: flag,
  public: flag,
  regex: flag,
  ignoreCase: flag,
  replaceAll: flag,
  recursive: flag,
  encoding: fc.constantFrom("utf8", "base64"),
};
const fieldOf = (name: string) =>
  fc.oneof({ weight: 9, arbitrary: likely[name] ?? text }, { weight: 1, arbitrary: anything });

/** Mostly the fields that the tool knows, with anything in them. */
const call = fc.constantFrom(...tools).chain(({ name, inputSchema }) => {
  const known = Object.keys(inputSchema.properties as object);
  const input = fc.oneof(
    { weight: 4, arbitrary: fc.record(Object.fromEntries(known.map((field) => [field, fieldOf(field)]))) },
    {
      weight: 3,
      arbitrary: fc.record(Object.fromEntries(known.map((field) => [field, fieldOf(field)])), { requiredKeys: [] }),
    },
    { weight: 1, arbitrary: fc.dictionary(fc.constantFrom(...Object.keys(likely), "__proto__", "x"), anything) },
  );
  return fc.record({ name: fc.constant(name), input });
});

it(`answers ${runs} calls with anything in their arguments, and none of them with a server error`, async () => {
  const ask = async ({ name, input }: { name: string; input: unknown }) => {
    const answer = await http.app.request("/mcp", {
      method: "POST",
      headers: {
        authorization,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: input } }),
    });
    const body = (await answer.json()) as { result?: { isError?: boolean; structuredContent: { status?: number } } };
    assert.equal(answer.status, 200);
    assert.ok(body.result !== undefined, JSON.stringify(body));
    if (body.result.isError) assert.ok((body.result.structuredContent.status ?? 500) < 500, JSON.stringify(body));
  };
  await fc.assert(fc.asyncProperty(call, ask), { numRuns: runs });
});
