import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { openTestCore, type TestCore } from "../../../test/support/core.ts";

let core: TestCore;
/** Listens at the indexer's address and responds with the request that it received. */
let receiver: Server;
before(async () => {
  receiver = createServer(async (request, response) => {
    const body = (await request.toArray()).join("");
    response.setHeader("content-type", "application/json");
    response.setHeader("x-request-id", "the indexer's own");
    response.end(JSON.stringify({ url: request.url, headers: request.headers, body }));
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const { port } = receiver.address() as AddressInfo;
  core = await openTestCore({ INDEXER_URL: `http://127.0.0.1:${port}` });
});
after(async () => {
  await core.close();
  receiver.close();
});

test("refuses a body that no question needs with 413, whether or not its length is declared", async () => {
  const large = "a".repeat(1_000_000);
  for (const path of ["/graphql", "/sql", "/sql/db", "/reports/aef"]) {
    for (const body of [large, new Blob([large]).stream()]) {
      const answer = await core.app.request(path, { method: "POST", body, duplex: "half" } as RequestInit);
      assert.equal(answer.status, 413, path);
      assert.equal(((await answer.json()) as { code: string }).code, "TOO_LARGE");
    }
  }
});

test("forwards a question without credentials and without headers of the client's connection", async () => {
  const headers = {
    "content-type": "application/json",
    accept: "application/json",
    authorization: "Bearer secret",
    cookie: "a=secret",
    dpop: "secret",
    connection: "Upgrade, HTTP2-Settings, x-hearth-word",
    upgrade: "h2c",
    expect: "100-continue",
    te: "trailers",
    "transfer-encoding": "chunked",
    "x-hearth-client": "somebody else",
    "x-hearth-word": "guessed",
    "x-forwarded-for": "10.0.0.1",
  };
  const answer = await core.app.request("/graphql?token=secret&a=1", {
    method: "POST",
    headers,
    body: '{"query":"{a}"}',
  });
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  const received = JSON.parse(text) as { url: string; headers: IncomingHttpHeaders; body: string };
  assert.deepEqual([received.url, received.body], ["/graphql?a=1", '{"query":"{a}"}']);
  assert.deepEqual(
    [received.headers["content-type"], received.headers.accept],
    [headers["content-type"], headers.accept],
  );
  for (const value of ["secret", "somebody else", "guessed", "10.0.0.1", "h2c", "100-continue"]) {
    assert.ok(!text.includes(value), value);
  }
});

test("adds this server's headers to the indexer's response", async () => {
  const answer = await core.app.request("/graphql?a=1", { headers: { "x-request-id": "mine" } });
  await answer.text();
  assert.equal(answer.headers.get("x-request-id"), "mine");
  assert.equal(answer.headers.get("access-control-allow-origin"), "*");
  assert.equal(answer.headers.get("content-type"), "application/json");
});
