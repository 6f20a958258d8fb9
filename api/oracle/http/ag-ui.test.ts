import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { type BaseEvent, EventType, HttpAgent } from "@ag-ui/client";
import { newTestUser, openTestOracle, type TestOracle, type TestUser } from "../../../test/support/oracle/oracle.ts";
import { agentOf } from "../../../test/support/oracle/streams.ts";
import type { TurnContext } from "../wire/turn.ts";

describe("AG-UI", () => {
  const agent = agentOf(() => ({}));
  let oracle: TestOracle;
  let alice: TestUser;
  before(async () => {
    oracle = await openTestOracle(agent);
    alice = await newTestUser(oracle);
  });
  after(() => oracle.close());
  const client = (threadId: string, user = alice) => {
    const events: BaseEvent[] = [];
    const http = new HttpAgent({ url: `${oracle.url}/ag-ui`, headers: user.headers, threadId });
    const run = (tools: object[] = []) =>
      http.runAgent({ tools: tools as never }, { onEvent: ({ event }) => void events.push(event) });
    const say = (content: string) => http.addMessage({ id: crypto.randomUUID(), role: "user", content });
    return { http, events, run, say };
  };

  it("serves the official client text, reasoning and tool calls, and keeps the thread", async () => {
    const histories: unknown[] = [];
    agent.turn = ({ emit, history, message }) => {
      histories.push(history);
      emit({ type: "reasoning", text: "Hm." });
      emit({ type: "text", delta: "First " });
      emit({ type: "tool", toolCallId: "1", toolName: "look", args: { a: 1 }, status: "isRunning" });
      emit({ type: "tool", toolCallId: "1", toolName: "look", args: { a: 1 }, status: "done", output: "seen" });
      emit({ type: "text", delta: `re ${message}` });
      return {};
    };
    const { http, events, run, say } = client("thread-1");
    say("hello");
    await run();
    const kinds = events.map(({ type }) => type);
    assert.deepEqual(kinds, [
      ...[EventType.RUN_STARTED, EventType.REASONING_START, EventType.REASONING_MESSAGE_START],
      ...[EventType.REASONING_MESSAGE_CONTENT, EventType.REASONING_MESSAGE_END, EventType.REASONING_END],
      ...[EventType.TEXT_MESSAGE_START, EventType.TEXT_MESSAGE_CONTENT, EventType.TEXT_MESSAGE_END],
      ...[EventType.TOOL_CALL_START, EventType.TOOL_CALL_ARGS, EventType.TOOL_CALL_END, EventType.TOOL_CALL_RESULT],
      ...[
        EventType.TEXT_MESSAGE_START,
        EventType.TEXT_MESSAGE_CONTENT,
        EventType.TEXT_MESSAGE_END,
        EventType.RUN_FINISHED,
      ],
    ]);
    const said = http.messages.filter(({ role }) => role === "assistant").map(({ content }) => content);
    assert.ok(said.includes("First ") && said.includes("re hello"));
    say("again");
    await run();
    assert.deepEqual(histories[1], [
      { role: "user", content: "hello" },
      { role: "assistant", content: "First re hello" },
    ]);
    const { sessions } = (await (await alice.call("GET", "/sessions")).json()) as { sessions: object[] };
    assert.equal(sessions.length, 1);
  });

  it("hands a front end's own tool over, and its result to the next turn under the same id", async () => {
    const seen: TurnContext[] = [];
    agent.turn = (ctx) => {
      seen.push(ctx);
      if (ctx.frontendResults.length > 0) ctx.emit({ type: "text", delta: `got ${ctx.frontendResults[0]?.content}` });
      else
        ctx.emit({ type: "tool", toolCallId: "model-call-1", toolName: "pick", args: { n: 1 }, status: "isRunning" });
      return {};
    };
    const tools = [{ name: "pick", description: "d", parameters: { type: "object" } }];
    const { http, events, run, say } = client("thread-2");
    say("pick one");
    await run(tools);
    assert.equal(events.at(-1)?.type, EventType.RUN_FINISHED);
    assert.deepEqual(
      seen[0]?.clientTools.map(({ name, kind }) => [name, kind]),
      [["pick", "frontend"]],
    );
    const call = events.find(({ type }) => type === EventType.TOOL_CALL_START) as BaseEvent & { toolCallId: string };
    http.addMessage({ id: "t1", role: "tool", toolCallId: call.toolCallId, content: "apple" });
    await run(tools);
    assert.deepEqual(seen[1]?.frontendResults, [{ toolCallId: "model-call-1", content: "apple" }]);
    assert.equal(http.messages.at(-1)?.content, "got apple");
  });

  it("tells a failed turn as RUN_ERROR", async () => {
    agent.turn = () => {
      throw new Error("secret detail");
    };
    const { events, run, say } = client("thread-3");
    say("x");
    await run().catch(() => {});
    const error = events.at(-1) as BaseEvent & { message?: string };
    assert.equal(error.type, EventType.RUN_ERROR);
    assert.ok(!error.message?.includes("secret"));
  });

  it("gives the same thread name to another user as a separate thread", async () => {
    agent.turn = ({ emit, history }) => {
      emit({ type: "text", delta: `${history.length} earlier` });
      return {};
    };
    const bob = client("thread-1", await newTestUser(oracle));
    bob.say("mine?");
    await bob.run();
    assert.equal(bob.http.messages.at(-1)?.content, "0 earlier");
  });

  it("refuses an invalid RunAgentInput, naming the fields, and anonymous callers", async () => {
    const answer = await alice.call("POST", "/ag-ui", { threadId: 1 });
    const { details } = (await answer.json()) as { details: { path: string }[] };
    assert.equal(answer.status, 400);
    assert.ok(details.some(({ path }) => path === "threadId"));
    const rest = { runId: "r", state: {}, messages: [], tools: [], context: [], forwardedProps: {} };
    const long = await alice.call("POST", "/ag-ui", { ...rest, threadId: randomBytes(5_000).toString("hex") });
    assert.equal(long.status, 400);
    assert.match(await long.text(), /"path":"threadId","rule":"length"/);
    assert.equal((await fetch(`${oracle.url}/ag-ui`, { method: "POST", body: "{}" })).status, 401);
  });
});
