import assert from "node:assert/strict";
import { test } from "node:test";
import { createRoute, OpenAPIHono, z } from "@hono/zod-openapi";
import { amountInResponse, carbonAmount, integer, jsonAmount, positiveCarbonAmount } from "../values/numbers.ts";
import { calendarDate, did } from "../values/text.ts";
import type { AppEnv } from "./context.ts";
import { type ErrorBody, respondError } from "./error-response.ts";
import { createRouter } from "./router.ts";

const thingRoute = createRoute({
  method: "post",
  security: [],
  path: "/things/{thingDid}",
  bodyLimit: 2000,
  request: {
    params: z.object({ thingDid: did }),
    query: z.object({ dry: z.enum(["yes", "no"]).optional() }),
    body: {
      required: true,
      content: {
        "application/json": {
          schema: z.object({
            amount: positiveCarbonAmount,
            rest: carbonAmount.optional(),
            date: calendarDate.optional(),
            count: integer(1, 10).optional(),
            nested: z.object({ list: z.array(z.strictObject({ name: z.string() })) }).optional(),
          }),
        },
      },
    },
  },
  responses: {
    201: {
      description: "made",
      content: { "application/json": { schema: z.object({ thingDid: z.string(), amount: amountInResponse }) } },
    },
  },
});

function createThings() {
  const things = createRouter().openapi(thingRoute, (c) => {
    const { amount } = c.req.valid("json");
    return c.json({ thingDid: c.req.valid("param").thingDid, amount: jsonAmount(amount) }, 201);
  });
  const app = new OpenAPIHono<AppEnv>();
  app.onError(respondError);
  app.route("/v1", things);
  return app;
}

const app = createThings();

function post(body: string | Uint8Array, options: { path?: string; type?: string } = {}) {
  return app.request(options.path ?? "/v1/things/did:ixo:a", {
    method: "POST",
    body: body as BodyInit,
    headers: options.type === undefined ? {} : { "content-type": options.type },
  });
}

async function refused(body: string | Uint8Array, path?: string) {
  const answer = await post(body, path === undefined ? {} : { path });
  const error = (await answer.json()) as ErrorBody;
  assert.equal(answer.status, 400, JSON.stringify(error));
  assert.equal(error.code, "INVALID_INPUT");
  return error.details.map(({ path: where, rule }) => `${where}:${rule}`).sort();
}

test("keeps the exact digits of an amount from the request to the answer", async () => {
  for (const [given, expected] of [
    ["1e2", "100"],
    ["100.0000000", "100"],
    ["0.1", "0.1"],
    ["9007199254.740991", "9007199254.740991"],
  ]) {
    const answer = await post(`{"amount":${given}}`);
    assert.equal(await answer.text(), `{"thingDid":"did:ixo:a","amount":${expected}}`);
    assert.equal(answer.status, 201);
  }
});

test("reads JSON whatever the content type says", async () => {
  for (const type of [
    "application/x-www-form-urlencoded",
    "text/plain",
    "multipart/form-data",
    "application/json; charset=utf-8",
  ]) {
    assert.equal((await post('{"amount":1}', { type })).status, 201, type);
  }
});

test("reads a percent-encoded DID with a slash as one path segment", async () => {
  const answer = await post('{"amount":1}', { path: "/v1/things/did%3Aixo%3Ahousehold%2F123" });
  assert.deepEqual(await answer.json(), { thingDid: "did:ixo:household/123", amount: 1 });
});

test("names every broken field of path, query and body together", async () => {
  const broken =
    '{"amount":"5","rest":0.0000001,"date":"2026-02-30","count":1.5,"nested":{"list":[{"name":1},{"nam":"x"}]},"more":1}';
  assert.deepEqual(await refused(broken, "/v1/things/nodid?dry=maybe&other=1"), [
    "amount:type",
    "count:decimals",
    "date:date",
    "more:unknown-field",
    "nested.list.0.name:type",
    "nested.list.1.nam:unknown-field",
    "nested.list.1.name:required",
    "query.dry:one-of",
    "query.other:unknown-field",
    "rest:decimals",
    "thingDid:format",
  ]);
});

test("refuses a query whose escapes are not UTF-8, instead of using them undecoded", async () => {
  for (const query of ["dry=%FF", "dry=yes%", "dry=%ED%A0%80"]) {
    const named = await refused('{"amount":1}', `/v1/things/did:ixo:a?${query}`);
    assert.ok(named.includes("query:percent-encoding"), `${query}: ${named}`);
  }
});

test("refuses amounts that are out of range, signed or too fine", async () => {
  for (const given of [
    "0",
    "-1",
    "1e-7",
    "9007199254.740992",
    "1e400",
    "1e999999999",
    "123456789012345678901234567890",
  ]) {
    const [first] = await refused(`{"amount":${given}}`);
    assert.match(first ?? "", /^amount:(range|decimals)$/, given);
  }
  assert.deepEqual(await refused("{}"), ["amount:required"]);
  assert.deepEqual(await refused('{"amount":null}'), ["amount:type"]);
});

test("says of a number in an object's place that it is a number, and nothing of how we hold numbers", async () => {
  assert.deepEqual(await refused('{"nested":5,"date":"2024-01-01"}'), ["amount:required", "nested:type"]);
  assert.deepEqual(await refused('{"amount":1,"nested":{"list":[7,{"name":3}]}}'), [
    "nested.list.0:type",
    "nested.list.1.name:type",
  ]);
  assert.deepEqual(await refused("5"), ["undefined:type"]);
});

test("refuses duplicate keys, equal or not, by their path", async () => {
  assert.deepEqual(await refused('{"amount":1,"amount":1}'), ["amount:duplicate-key"]);
  assert.deepEqual(await refused('{"amount":1,"nested":{"list":[{"name":"a"},{"name":"b","n\\u0061me":"b"}]}}'), [
    "nested.list.1.name:duplicate-key",
  ]);
});

test("refuses __proto__ and does not take it for a prototype", async () => {
  assert.deepEqual(await refused('{"amount":1,"__proto__":{"rest":1}}'), ["__proto__:unknown-field"]);
  assert.deepEqual(await refused('{"amount":1,"constructor":{}}'), ["constructor:unknown-field"]);
});

test("refuses malformed, empty and deeply nested bodies", async () => {
  for (const body of [
    "{",
    "",
    "[1,",
    '{"amount":01}',
    '{"amount":NaN}',
    "{'amount':1}",
    '{"amount":1}x',
    '{"a',
    "\ufeff{}",
  ]) {
    assert.ok((await refused(body)).length > 0, body);
  }
  assert.deepEqual(await refused("[".repeat(1900)), ["body:depth"]);
  assert.deepEqual(await refused(`${'{"a":'.repeat(300)}1${"}".repeat(300)}`), ["body:depth"]);
});

test("refuses bytes that are not UTF-8 and text with controls or unpaired surrogates", async () => {
  assert.deepEqual(await refused(Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d)), ["body:utf-8"]);
  assert.deepEqual(await refused('{"amount":1,"nested":{"list":[{"name":"\\u0000"},{"name":"\\ud800"}]}}'), [
    "nested.list.0.name:text",
    "nested.list.1.name:text",
  ]);
  assert.deepEqual(await refused('{"amount":1}', "/v1/things/did:ixo:a%00"), ["thingDid:text"]);
});

test("refuses direction and zero-width tricks in identifiers", async () => {
  for (const trick of ["%E2%80%AE", "%E2%80%8B", "%EF%BB%BF", "%C2%AD"]) {
    const rules = await refused('{"amount":1}', `/v1/things/did:ixo:a${trick}b`);
    assert.ok(rules.includes("thingDid:text"), trick);
  }
});

test("answers 413 before parsing when the body is over the route's limit", async () => {
  assert.equal((await post(`{"amount":${" ".repeat(2000)}`)).status, 413);
  const stream = new ReadableStream({
    pull(controller) {
      controller.enqueue(new Uint8Array(500));
    },
  });
  const request = new Request("http://x/v1/things/did:ixo:a", {
    method: "POST",
    body: stream,
    duplex: "half",
  } as RequestInit);
  assert.equal((await app.request(request)).status, 413);
});

test("documents amounts as numbers with six decimals and objects without extra fields", () => {
  const document = app.getOpenAPI31Document({ openapi: "3.1.0", info: { title: "t", version: "1" } });
  const operation = document.paths?.["/v1/things/{thingDid}"]?.post;
  const body = JSON.parse(JSON.stringify(operation?.requestBody)).content["application/json"].schema;
  assert.deepEqual(body.required, ["amount"]);
  assert.deepEqual(body.properties.amount, {
    type: "number",
    minimum: 0.000001,
    maximum: Number("9007199254.740991"),
    multipleOf: 0.000001,
  });
  assert.equal(body.additionalProperties, false);
});
