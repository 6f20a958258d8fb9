import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { newTestUser, openTestOracle, type TestOracle, type TestUser } from "../../test/support/oracle/oracle.ts";
import { agentOf, connect, readAll, socketOf, stream } from "../../test/support/oracle/streams.ts";

describe("another user's session", () => {
  const agent = agentOf(async ({ emit, signal }) => {
    emit({ type: "text", delta: "secret" });
    await new Promise((resolve) => {
      signal.addEventListener("abort", resolve);
      setTimeout(resolve, 3_000);
    });
    return {};
  });
  let oracle: TestOracle;
  let alice: TestUser;
  let bob: TestUser;
  let own: string;
  let runId: string;
  let reading: Promise<unknown>;
  before(async () => {
    oracle = await openTestOracle(agent);
    [alice, bob] = [await newTestUser(oracle), await newTestUser(oracle)];
    own = await alice.session();
    const answer = await stream(alice, own, "alice's words");
    runId = answer.headers.get("x-run-id") ?? "";
    reading = readAll(answer);
  });
  after(async () => {
    await alice.call("POST", "/messages/abort", { sessionId: own });
    await reading;
    await oracle.close();
  });

  /** Status and body but for what differs by request. */
  const responseOf = async (method: string, path: string, body?: object) => {
    const answer = await bob.call(method, path, body);
    const { requestId: _, ...rest } = (await answer.json()) as Record<string, unknown>;
    return { status: answer.status, body: JSON.stringify(rest).replaceAll(own, "ID").replaceAll(unknown, "ID") };
  };
  const unknown = "$AAAAAAAAAAAAAAAAAAAAAA:hearth";

  const routes: [string, (id: string) => string, ((id: string) => object)?][] = [
    ["GET", (id) => `/messages/${id}`],
    ["POST", (id) => `/messages/${id}`, () => ({ message: "intrusion", stream: true })],
    ["POST", (id) => `/messages/${id}`, () => ({ message: "intrusion" })],
    ["GET", (id) => `/sessions/${id}/messages`],
    ["GET", (id) => `/sessions/${id}/messages?before=01M80BFXZ99FFQZYV44SCW421V`],
    ["GET", (id) => `/sessions/${id}/run`],
    ["DELETE", (id) => `/sessions/${id}`],
    ["POST", () => "/messages/abort", (sessionId) => ({ sessionId })],
  ];

  for (const [method, path, body] of routes) {
    it(`answers ${method} ${path("ID")} as an unknown one`, async () => {
      const [foreign, absent] = [
        await responseOf(method, path(own), body?.(own)),
        await responseOf(method, path(unknown), body?.(unknown)),
      ];
      assert.deepEqual(foreign, absent);
      assert.ok(
        foreign.status >= 400 ||
          ['{"success":false}'].includes(foreign.body) ||
          foreign.body.startsWith('{"messages":[]'),
      );
    });
  }

  it("answers GET /runs/ID as an unknown one", async () => {
    const [foreign, absent] = [
      await responseOf("GET", `/runs/${runId}`),
      await responseOf("GET", "/runs/01M80BFXZ99FFQZYV44SCW421V"),
    ];
    assert.deepEqual(foreign, absent);
    assert.equal(foreign.status, 404);
  });

  it("is in nobody else's list, and tells nobody else's sockets anything", async () => {
    const { sessions } = (await (await bob.call("GET", "/sessions")).json()) as { sessions: unknown[] };
    assert.deepEqual(sessions, []);
    const socket = socketOf(oracle, own, { invocation: bob.invocation });
    assert.equal(await connect(socket), `Session ${own} not found`);
    const beside = socketOf(oracle, await bob.session(), { invocation: bob.invocation });
    assert.equal(await connect(beside), undefined);
    oracle.oracle.emitToSession(own, "tool_call", {});
    await sleep(50);
    assert.deepEqual(
      beside.heard.map(({ event }) => event),
      ["connected"],
    );
    beside.disconnect();
  });

  it("is untouched by all of this", async () => {
    const { run } = (await (await alice.call("GET", `/sessions/${own}/run`)).json()) as { run: { runId: string } };
    assert.equal(run.runId, runId);
    const { messages } = (await (await alice.call("GET", `/messages/${own}`)).json()) as {
      messages: { content: string }[];
    };
    assert.deepEqual(
      messages.map(({ content }) => content),
      ["alice's words"],
    );
  });
});
