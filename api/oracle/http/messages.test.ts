import assert from "node:assert/strict";
import { once } from "node:events";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { newTestUser, openTestOracle, type TestOracle, type TestUser } from "../../../test/support/oracle/oracle.ts";
import { agentOf, isWhole, readAll, stream, textOf } from "../../../test/support/oracle/streams.ts";
import { AppError } from "../../platform/errors.ts";
import type { TurnContext } from "../wire/turn.ts";

type Body = Record<string, unknown> & { messages: { type: string; content: string; isComplete: boolean }[] };

describe("messages", () => {
  const agent = agentOf(() => ({}));
  let oracle: TestOracle;
  let alice: TestUser;
  let owing = false;
  before(async () => {
    const extra = { claims: ["CLM-1"], outstandingClaims: ["CLM-1"], claimIds: ["CLM-1"] };
    const requirePayment = async () => {
      if (owing) throw new AppError("PAYMENT_REQUIRED", "Pay first.", { extra });
      return undefined;
    };
    oracle = await openTestOracle(agent, {}, { requirePayment });
    alice = await newTestUser(oracle);
  });
  after(() => oracle.close());
  const json = async (answer: Response | Promise<Response>) => (await (await answer).json()) as Body;

  it("streams a turn in frames of the protocol, in their order", async () => {
    agent.turn = async ({ emit }) => {
      emit({ type: "reasoning", text: "Let me see." });
      emit({ type: "tool", toolCallId: "c1", toolName: "look", args: { at: 1 }, status: "isRunning" });
      emit({ type: "tool", toolCallId: "c1", toolName: "look", args: { at: 1 }, status: "done", output: "seen" });
      emit({ type: "text", delta: "Hello\n" });
      await sleep(30);
      emit({ type: "text", delta: "wörld 🌍" });
      return {};
    };
    const sessionId = await alice.session();
    const answer = await stream(alice, sessionId, "hello", { requestId: "req-1" });
    assert.equal(answer.headers.get("x-request-id"), "req-1");
    assert.equal(answer.headers.get("content-type"), "text/event-stream; charset=utf-8");
    const frames = await readAll(answer);
    const kinds = frames.map(({ event }) => event);
    const expected = [
      "run",
      "reasoning",
      "reasoning",
      "tool_call",
      "tool_call",
      "reasoning",
      "message",
      "message",
      "done",
    ];
    assert.deepEqual(kinds, expected);
    assert.deepEqual(
      frames.map(({ id }) => id),
      [1, 2, 3, 4, 5, 6, 7, 8, 9],
    );
    const runId = answer.headers.get("x-run-id");
    assert.deepEqual(frames[0]?.data, { runId, requestId: "req-1", sessionId });
    const [first, , , last] = frames.filter(({ event }) => event === "reasoning" || event === "message");
    assert.deepEqual([first?.data.reasoning, first?.data.isComplete], ["Thinking…", false]);
    assert.equal(last?.event, "message");
    assert.deepEqual([frames[5]?.data.reasoning, frames[5]?.data.isComplete], ["", true]);
    assert.equal(textOf(frames), "Hello\nwörld 🌍");
    const { eventId, ...call } = frames[4]?.data ?? {};
    assert.notEqual(eventId, "c1");
    assert.deepEqual(
      [call.sessionId, call.requestId, call.toolName, call.args, call.status, call.output],
      [...[sessionId, "req-1", "look", { at: 1 }, "done", "seen"]],
    );
    assert.equal(frames[3]?.data.eventId, eventId);
    assert.equal(frames.at(-1)?.data.status, "finished");
    assert.ok(isWhole(frames));
  });

  it("has both messages in the history when done is sent", async () => {
    agent.turn = ({ emit }) => {
      emit({ type: "text", delta: "answer" });
      return {};
    };
    const sessionId = await alice.session();
    const frames = await readAll(await stream(alice, sessionId, "question"));
    const { messages } = await json(alice.call("GET", `/messages/${sessionId}`));
    const [human, ai] = messages as unknown as [Record<string, unknown>, Record<string, unknown>];
    assert.deepEqual([human.type, human.content, human.isComplete], ["human", "question", true]);
    assert.deepEqual(
      [ai.type, ai.content, ai.isComplete, ai.id],
      ["ai", "answer", true, frames.at(-1)?.data.messageId],
    );
  });

  it("answers whole without streaming, with all messages when asked", async () => {
    agent.turn = ({ emit }) => {
      emit({ type: "text", delta: "whole" });
      return {};
    };
    const sessionId = await alice.session();
    const one = await json(alice.call("POST", `/messages/${sessionId}`, { message: "a" }));
    assert.deepEqual(Object.keys(one).sort(), ["message", "sessionId"]);
    const all = await json(alice.call("POST", `/messages/${sessionId}`, { message: "b", returnAllMessages: true }));
    assert.deepEqual(
      all.messages.map(({ content }) => content),
      ["a", "whole", "b", "whole"],
    );
  });

  it("gives the turn its message, tools, delegation and history", async () => {
    const seen: TurnContext[] = [];
    agent.turn = (ctx) => {
      seen.push(ctx);
      ctx.emit({ type: "text", delta: "ok" });
      return {
        messages: [
          { role: "user", content: "q" },
          { role: "assistant", content: "ok" },
        ],
      };
    };
    const sessionId = await alice.session();
    const schema = { type: "object", properties: { n: { type: "number", minimum: 0.5 } } };
    const tools = [{ name: "t", description: "d", schema }];
    const agActions = [{ name: "a", description: "d", schema: {}, hasRender: true }];
    const attachments = [{ mxcUri: "mxc://h/1", filename: "a.png", mimetype: "image/png", size: 10 }];
    const body = {
      message: "q",
      tools,
      agActions,
      attachments: attachments.map((each) => ({ ...each, category: "image" })),
      timezone: "UTC",
      metadata: { n: 1 },
      model: "m",
      homeServer: "h",
    };
    assert.equal((await alice.call("POST", `/messages/${sessionId}`, body)).status, 200);
    assert.equal((await alice.call("POST", `/messages/${sessionId}`, { message: "again" })).status, 200);
    const [first, second] = seen;
    assert.deepEqual(
      first?.clientTools.map(({ name, kind }) => [name, kind]),
      [
        ["t", "browser"],
        ["a", "action"],
      ],
    );
    assert.deepEqual(first?.clientTools[0]?.schema, schema);
    assert.deepEqual(first?.attachments, attachments);
    assert.deepEqual([first?.metadata, first?.model, first?.timezone, first?.user], [{ n: 1 }, "m", "UTC", alice.did]);
    assert.deepEqual(second?.history, [
      { role: "user", content: "q" },
      { role: "assistant", content: "ok" },
    ]);
  });

  it("refuses a body that is not the protocol's, naming every fault", async () => {
    const sessionId = await alice.session();
    const faults = async (body: object) => {
      const answer = await alice.call("POST", `/messages/${sessionId}`, body);
      assert.equal(answer.status, 400);
      const { details } = (await answer.json()) as { details: { path?: string }[] };
      return details.map(({ path }) => path);
    };
    assert.deepEqual(await faults({}), ["message"]);
    assert.deepEqual(await faults({ message: "", surprise: 1, stream: "yes" }), ["message", "stream", "surprise"]);
    const attachment = { mxcUri: "mxc://h/1", filename: "a", mimetype: "b" };
    assert.deepEqual(await faults({ message: "a", attachments: Array(11).fill(attachment) }), ["attachments"]);
    assert.deepEqual(await faults({ message: "a", attachments: [{ filename: "a", mimetype: "b" }] }), [
      "attachments.0.mxcUri",
    ]);
    const big = { ...attachment, size: 26 * 1024 * 1024 };
    assert.deepEqual(await faults({ message: "a", attachments: [big] }), ["attachments.0.size"]);
    const tool = { name: "t", description: "", schema: {} };
    assert.deepEqual(await faults({ message: "a", tools: [tool, tool] }), ["tools"]);
    assert.deepEqual(await faults({ message: "a", tools: [{ ...tool, schema: { type: "nonsense" } }] }), ["t"]);
  });

  it("refuses payment before the stream opens, with the claims' ids", async () => {
    const sessionId = await alice.session();
    owing = true;
    const answer = await stream(alice, sessionId);
    owing = false;
    assert.equal(answer.status, 402);
    const body = (await answer.json()) as Record<string, unknown>;
    assert.deepEqual([body.claims, body.outstandingClaims, body.claimIds], [["CLM-1"], ["CLM-1"], ["CLM-1"]]);
  });

  /** From here on each turn says which it is. */
  const countTurns = () => {
    const turns = { begun: 0 };
    agent.turn = ({ emit }) => {
      turns.begun += 1;
      emit({ type: "text", delta: `turn ${turns.begun}` });
      return {};
    };
    return turns;
  };

  it("answers a message that is sent again with its own turn, and begins no second one", async () => {
    const turns = countTurns();
    const sessionId = await alice.session();
    const first = await readAll(await stream(alice, sessionId, "once", { requestId: "r-1" }));
    const again = await readAll(await stream(alice, sessionId, "once", { requestId: "r-1" }));
    assert.deepEqual(again, first);
    const whole = await json(alice.call("POST", `/messages/${sessionId}`, { message: "once", requestId: "r-1" }));
    assert.equal((whole.message as { content: string }).content, "turn 1");
    assert.equal(turns.begun, 1);
    const bob = await newTestUser(oracle);
    const other = await bob.session();
    const bobs = await readAll(await stream(bob, other, "once", { requestId: "r-1" }));
    assert.equal(textOf(bobs), "turn 2");
  });

  it("begins one turn for twenty copies of a message that race", async () => {
    const turns = countTurns();
    const sessionId = await alice.session();
    const copies = Array.from({ length: 20 }, async () =>
      readAll(await stream(alice, sessionId, "once", { requestId: "r-race" })),
    );
    for (const frames of await Promise.all(copies)) assert.equal(textOf(frames), "turn 1");
    assert.equal(turns.begun, 1);
    const { messages } = await json(alice.call("GET", `/messages/${sessionId}`));
    assert.equal(messages.length, 2);
  });

  it("looks once for the turn of a message, also where an earlier turn is still open", async () => {
    agent.turn = async ({ emit, message, signal }) => {
      emit({ type: "text", delta: message });
      if (message === "first") await once(signal, "abort");
      return {};
    };
    const { store } = oracle.oracle.runs;
    const { byRequest } = store;
    const asked: string[] = [];
    store.byRequest = (user, session, requestId) => {
      asked.push(requestId);
      return byRequest(user, session, requestId);
    };
    try {
      const sessionId = await alice.session();
      const open = await stream(alice, sessionId, "first", { requestId: "r-first" });
      const second = await readAll(await stream(alice, sessionId, "second", { requestId: "r-second" }));
      await readAll(open);
      assert.equal(textOf(second), "second");
      assert.deepEqual(asked, ["r-first", "r-second"]);
    } finally {
      store.byRequest = byRequest;
    }
  });

  it("tells a failure as an error frame and ends as failed, with what was said", async () => {
    agent.turn = ({ emit }) => {
      emit({ type: "text", delta: "half" });
      throw new AppError("NOT_FOUND", "The model is gone.");
    };
    const sessionId = await alice.session();
    const frames = await readAll(await stream(alice, sessionId));
    const error = frames.find(({ event }) => event === "error");
    assert.deepEqual([error?.data.error, error?.data.kind], ["The model is gone.", "NOT_FOUND"]);
    assert.equal(frames.at(-1)?.data.status, "failed");
    assert.ok(isWhole(frames));
    const { messages } = await json(alice.call("GET", `/messages/${sessionId}`));
    assert.deepEqual([messages[1]?.content, messages[1]?.isComplete], ["half", false]);
  });

  it("closes calls that the turn left open before done", async () => {
    agent.turn = ({ emit }) => {
      emit({ type: "tool", toolCallId: "open", toolName: "slow", args: {}, status: "isRunning" });
      return {};
    };
    const frames = await readAll(await stream(alice, await alice.session()));
    const calls = frames.filter(({ event }) => event === "tool_call").map(({ data }) => data.status);
    assert.deepEqual(calls, ["isRunning", "error"]);
    assert.equal(frames.at(-1)?.event, "done");
  });

  it("pages turns in both directions", async () => {
    agent.turn = ({ emit, message }) => {
      emit({ type: "text", delta: `re ${message}` });
      return {};
    };
    const sessionId = await alice.session();
    for (const message of ["1", "2", "3", "4", "5"]) await alice.call("POST", `/messages/${sessionId}`, { message });
    const page = (query: string) => json(alice.call("GET", `/sessions/${sessionId}/messages?${query}`));
    const humans = ({ messages }: Body) =>
      messages.filter(({ type }) => type === "human").map(({ content }) => content);
    const last = await page("limit=2");
    assert.deepEqual([humans(last), last.hasOlder, last.hasNewer], [["4", "5"], true, false]);
    const middle = await page(`limit=2&before=${last.prevCursor}`);
    assert.deepEqual([humans(middle), middle.hasOlder, middle.hasNewer], [["2", "3"], true, true]);
    const first = await page(`limit=2&before=${middle.prevCursor}`);
    assert.deepEqual([humans(first), first.hasOlder, first.prevCursor], [["1"], false, null]);
    assert.deepEqual(humans(await page(`limit=2&after=${first.nextCursor}`)), ["2", "3"]);
    assert.equal((await alice.call("GET", `/sessions/${sessionId}/messages?before=unknown`)).status, 400);
    const unknown = await page("limit=2").then(() => json(alice.call("GET", "/sessions/$none:h/messages")));
    assert.deepEqual(unknown, { messages: [], prevCursor: null, nextCursor: null, hasOlder: false, hasNewer: false });
  });

  it("answers unknown sessions and routes with statusCode 404", async () => {
    for (const path of ["/messages/$x:y", `/messages/${encodeURIComponent("$x:y")}`, "/runs/none", "/nothing"]) {
      const answer = await alice.call("GET", path);
      assert.deepEqual([answer.status, ((await answer.json()) as { statusCode: number }).statusCode], [404, 404], path);
    }
    const abort = await alice.call("POST", "/messages/abort", { sessionId: "$x:y" });
    assert.deepEqual(await abort.json(), { success: false });
  });

  it("lets browsers send and read the protocol's headers", async () => {
    const asked =
      "content-type,authorization,x-auth-type,x-ucan-delegation,x-matrix-access-token,x-matrix-homeserver,x-did,x-request-id,x-timezone";
    const headers = {
      origin: "https://app",
      "access-control-request-method": "POST",
      "access-control-request-headers": asked,
    };
    const preflight = await fetch(`${oracle.url}/messages/abc`, { method: "OPTIONS", headers });
    const allowed = preflight.headers.get("access-control-allow-headers")?.toLowerCase().split(",");
    for (const header of asked.split(",")) assert.ok(allowed?.includes(header), header);
    const exposed = (await fetch(`${oracle.url}/models`)).headers.get("access-control-expose-headers") ?? "";
    for (const header of ["X-Request-Id", "X-Run-Id"]) assert.ok(exposed.split(",").includes(header), header);
  });
});

describe("the throttle", () => {
  it("counts each user's requests, but not what comes back to a run", async () => {
    const oracle = await openTestOracle(
      agentOf(() => ({})),
      { ORACLE_REQUESTS_PER_MINUTE: "3" },
    );
    try {
      const [alice, bob] = [await newTestUser(oracle), await newTestUser(oracle)];
      const sessionId = await alice.session();
      for (let i = 0; i < 10; i++) assert.equal((await alice.call("GET", `/sessions/${sessionId}/run`)).status, 200);
      const statuses = [];
      for (let i = 0; i < 3; i++) statuses.push((await alice.call("GET", "/sessions")).status);
      assert.deepEqual(statuses, [200, 200, 429]);
      assert.equal((await bob.call("GET", "/sessions")).status, 200);
    } finally {
      await oracle.close();
    }
  });
});
