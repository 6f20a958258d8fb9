import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openTestScheme, type TestScheme, testAdminKey } from "../../../test/support/scheme.ts";
import { isTracing } from "./tracing.ts";

type Attribute = { key: string; value: { stringValue?: string; intValue?: string | number } };
type Span = {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  attributes: Attribute[];
  links?: { spanId: string }[];
};

const spans: Span[] = [];
const bodies: string[] = [];
let collector: Server;
let scheme: TestScheme;
let stop: () => Promise<void>;

/** A collector that takes OTLP over HTTP in JSON. */
before(async () => {
  collector = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => (body += part));
    request.on("end", () => {
      assert.equal(request.url, "/v1/traces");
      bodies.push(body);
      for (const { scopeSpans } of JSON.parse(body).resourceSpans)
        for (const scope of scopeSpans) spans.push(...scope.spans);
      response.setHeader("content-type", "application/json").end("{}");
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
  const { port } = collector.address() as AddressInfo;
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${port}`;
  process.env.OTEL_BSP_SCHEDULE_DELAY = "100";
  assert.equal(isTracing(), false);
  const { startTracing } = await import("./open-telemetry.ts");
  stop = startTracing("test");
  scheme = await openTestScheme();
});
after(async () => {
  delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  delete process.env.OTEL_BSP_SCHEDULE_DELAY;
  await scheme?.close();
  await stop?.();
  collector.close();
  assert.equal(isTracing(), false);
});

const attribute = ({ attributes }: Span, key: string) => {
  const value = attributes.find((each) => each.key === key)?.value;
  return value?.stringValue ?? value?.intValue;
};
const named = (name: string) => spans.filter((span) => span.name === name);

async function send(method: string, path: string, requestId: string, body?: object): Promise<Response> {
  return await scheme.app.request(path, {
    method,
    headers: {
      authorization: `Bearer ${testAdminKey}`,
      "x-request-id": requestId,
      "content-type": "application/json",
      traceparent: `00-${randomBytes(16).toString("hex")}-${randomBytes(8).toString("hex")}-01`,
      tracestate: "client=secret-of-its-user",
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function awaitSpan(name: string, count: number): Promise<Span[]> {
  for (const end = Date.now() + 20_000; named(name).length < count && Date.now() < end; ) await sleep(50);
  assert.ok(named(name).length >= count, `${name}: ${spans.map((span) => span.name).join(", ")}`);
  return named(name);
}

test("one trace leads from a request through service and outbox to the chain, without personal data", async () => {
  const did = "did:ixo:household/secret-of-a-person";
  const requestId = "3f8c0b1e-request-of-this-test";
  const answer = await send("POST", "/v1/households?token=secret-token", requestId, { did, region: "Lusaka" });
  assert.ok([201, 202, 400].includes(answer.status), await answer.text());
  const made = await send("POST", "/v1/households", requestId, { did, region: "Lusaka" });
  assert.equal(made.status, 201, await made.clone().text());
  const suppliers = ["a", "b"].map((name) =>
    send("POST", "/v1/suppliers", `request-${name}`, {
      did: `did:ixo:supplier/secret-${name}`,
      name: "Shop",
      account: `0x000000000000000000000000000000000000ab${name === "a" ? "01" : "02"}`,
    }),
  );
  for (const each of await Promise.all(suppliers)) assert.equal(each.status, 201, await each.clone().text());
  await send("GET", `/v1/households/${encodeURIComponent(did)}`, "did:ixo:household:secret-id");
  for (const id of ["260971234567", "order-260971234567", `again.hk_k3j9x0a7b2c1_${"secret".repeat(7)}x`])
    await send("GET", `/v1/households/${encodeURIComponent(did)}`, id);

  const [server] = await awaitSpan("POST /v1/suppliers", 2);
  const transaction = (await awaitSpan("chain.transaction", 2)).find((span) => span.traceId === server?.traceId);
  assert.ok(server !== undefined && transaction !== undefined, "the transaction is in the request's trace");
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const path: string[] = [];
  for (let span: Span | undefined = transaction; span !== undefined; span = byId.get(span.parentSpanId ?? ""))
    path.push(span.name);
  assert.equal(path.at(-1), "POST /v1/suppliers");
  assert.ok(path.includes("service POST /v1/suppliers"), path.join(" < "));
  assert.ok(
    spans.some(({ traceId, name }) => traceId === server.traceId && name === "outbox.store"),
    "the outbox is in it",
  );
  assert.match(String(attribute(transaction, "hearth.transaction")), /^0x[0-9a-f]{64}$/);
  const ids = named("POST /v1/suppliers").map((span) => attribute(span, "hearth.request_id"));
  assert.deepEqual(ids.toSorted(), ["request-a", "request-b"]);
  assert.ok(named("GET /v1/households/:did").every((span) => attribute(span, "hearth.request_id") === "[hidden]"));

  const all = bodies.join("\n");
  for (const text of ["secret", "did:", "260971234567", testAdminKey, "Lusaka", "000000000000ab"])
    assert.ok(!all.includes(text), `${text} is not sent`);
});
