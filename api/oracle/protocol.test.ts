import assert from "node:assert/strict";
import { after, before, describe, it, mock } from "node:test";
import { newTestUser, openTestOracle, type TestOracle, type TestUser } from "../../test/support/oracle/oracle.ts";
import { agentOf, readAll, stream } from "../../test/support/oracle/streams.ts";

/** What published clients read and send, where no other test says it. */
describe("the oracle's wire", () => {
  const agent = agentOf(({ emit, message }) => {
    emit({ type: "text", delta: message });
    return {};
  });
  let oracle: TestOracle;
  let user: TestUser;
  before(async () => {
    oracle = await openTestOracle(agent);
    user = await newTestUser(oracle);
  });
  after(() => oracle.close());
  const open = async (path: string) => (await (await fetch(`${oracle.url}${path}`)).json()) as Record<string, unknown>;
  const read = async (answer: Response | Promise<Response>) => (await (await answer).json()) as Record<string, unknown>;

  it("greets and tells its health to anyone", async () => {
    const greeting = await open("/");
    assert.deepEqual(Object.keys(greeting), ["status", "message", "timestamp"]);
    assert.ok(!Number.isNaN(Date.parse(String(greeting.timestamp))));
    assert.equal((await open("/health")).status, "ok");
    assert.ok(Array.isArray((await open("/models")).models));
  });

  it("opens a session for an empty body with a JSON content type, and for fields that it does not know", async () => {
    const bodies = [undefined, {}, { title: "Stoves" }, { oracleDid: oracle.did, userMatrixOpenIdToken: "x" }];
    const fields = "sessionId title lastUpdatedAt createdAt oracleName oracleDid oracleEntityDid roomId".split(" ");
    for (const body of bodies) {
      const answer = await user.call("POST", "/sessions", body);
      assert.equal(answer.status, 201);
      const session = await read(answer);
      assert.deepEqual(Object.keys(session).sort(), fields.toSorted());
      assert.deepEqual([session.oracleDid, session.title], [oracle.identity.document.id, body?.title ?? "Untitled"]);
    }
  });

  it("lists sessions newest first, in pages, and deletes with a JSON answer", async () => {
    const own = await newTestUser(oracle);
    const made = [await own.session(), await own.session(), await own.session()];
    const { sessions, total } = await read(own.call("GET", "/sessions?limit=2&offset=1"));
    assert.equal(total, 3);
    const ids = (sessions as { sessionId: string }[]).map(({ sessionId }) => sessionId);
    assert.deepEqual(ids, [made[1], made[0]]);
    for (const query of ["limit=0", "limit=101", "limit=x", "offset=-1"]) {
      assert.equal((await own.call("GET", `/sessions?${query}`)).status, 400, query);
    }
    const removed = await own.call("DELETE", `/sessions/${made[0]}`);
    assert.deepEqual([removed.status, await read(removed)], [200, { message: "Session deleted successfully" }]);
    const again = await own.call("DELETE", `/sessions/${made[0]}`);
    assert.deepEqual([again.status, (await read(again)).statusCode], [404, 404]);
  });

  it("accepts a session's id percent-encoded or plain", async () => {
    const id = await user.session();
    assert.match(id, /^\$.+:.+/);
    for (const path of [id, encodeURIComponent(id), id.replace("$", "%24")]) {
      await readAll(await user.call("POST", `/messages/${path}`, { message: "a", stream: true }));
      assert.equal((await user.call("GET", `/sessions/${path}/run`)).status, 200, path);
    }
    const { messages } = await read(user.call("GET", `/messages/${encodeURIComponent(id)}`));
    assert.equal((messages as unknown[]).length, 6);
  });

  it("answers what is unknown as clients expect: an empty page, no success, 404, 400", async () => {
    const page = await read(user.call("GET", "/sessions/$none:x/messages"));
    assert.deepEqual(page, { messages: [], prevCursor: null, nextCursor: null, hasOlder: false, hasNewer: false });
    assert.deepEqual(await read(user.call("POST", "/messages/abort", { sessionId: "$none:x" })), { success: false });
    assert.equal((await user.call("POST", "/messages/abort", { sessionId: "$none:x", more: 1 })).status, 400);
    for (const path of ["/messages/$none:x", "/sessions/$none:x/run", "/runs/none"]) {
      const answer = await user.call("GET", path);
      assert.deepEqual([answer.status, (await read(answer)).statusCode], [404, 404], path);
    }
    const id = await user.session();
    assert.equal((await user.call("GET", `/sessions/${id}/messages?before=none`)).status, 400);
    assert.deepEqual(await read(user.call("GET", `/sessions/${id}/run`)), { run: null });
    assert.equal((await stream(user, id, "x", { colour: "red" })).status, 400);
  });

  it("continues after Last-Event-ID as after ?after=", async () => {
    const answer = await stream(user, await user.session());
    const frames = await readAll(answer);
    const path = `/runs/${answer.headers.get("x-run-id")}`;
    const byHeader = await readAll(await user.call("GET", path, undefined, { "last-event-id": "2" }));
    assert.deepEqual(byHeader, frames.slice(2));
    assert.deepEqual(await readAll(await user.call("GET", `${path}?after=2`)), byHeader);
  });

  it("names request and run in headers and first frame alike, by the client's own id where it gives one", async () => {
    const answer = await stream(user, await user.session(), "x", { requestId: "mine-1" });
    const [first] = await readAll(answer);
    const runId = answer.headers.get("x-run-id");
    assert.equal(answer.headers.get("x-request-id"), "mine-1");
    assert.equal(answer.headers.get("content-type"), "text/event-stream; charset=utf-8");
    assert.equal(first?.event, "run");
    assert.deepEqual([first?.data.runId, first?.data.requestId], [runId, "mine-1"]);
  });

  it("beats every fifteen seconds while nothing is said", async () => {
    let speak = () => {};
    agent.turn = () =>
      new Promise((resolve) => {
        speak = () => resolve({});
      });
    const session = await user.session();
    mock.timers.enable({ apis: ["setInterval"] });
    try {
      const answer = await stream(user, session);
      const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
      let text = "";
      while (!text.includes("Thinking")) text += (await reader?.read())?.value ?? "";
      assert.doesNotMatch(text, /heartbeat/);
      mock.timers.tick(14_999);
      mock.timers.tick(1);
      assert.equal((await reader?.read())?.value, ": heartbeat\n\n");
      speak();
      while (!text.includes("event: done")) text += (await reader?.read())?.value ?? "";
    } finally {
      mock.timers.reset();
    }
  });
});
